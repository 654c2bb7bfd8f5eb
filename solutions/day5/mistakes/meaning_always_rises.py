"""meaning says that the root rises whatever the sign of the gradient. The sign is the direction:
below 0 the root falls.
"""
# fails: meaning


def meaning(gradient):
    return ("stays" if gradient == 0 else "rises"), abs(gradient)
