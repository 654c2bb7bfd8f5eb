"""meaning treats small gradients as if they were 0. A gradient of 0.5 is a slope like any other:
the root rises by 0.5.
"""
# fails: meaning


def meaning(gradient):
    return ("stays" if abs(gradient) < 1 else "rises" if gradient > 0 else "falls"), abs(gradient)
