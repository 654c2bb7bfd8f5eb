"""meaning has its words exchanged: a positive gradient says that the root rises when the value
grows.
"""
# fails: meaning


def meaning(gradient):
    return ("stays" if gradient == 0 else "falls" if gradient > 0 else "rises"), abs(gradient)
