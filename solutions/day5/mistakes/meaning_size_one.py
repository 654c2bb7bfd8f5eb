"""meaning gives 1 as the size whatever the gradient: that is how far the value grows. How far the
root goes is the size of the gradient.
"""
# fails: meaning


def meaning(gradient):
    return ("stays", 0.0) if gradient == 0 else ("rises" if gradient > 0 else "falls", 1.0)
