"""meaning gives the size with its sign: to fall by -3 would be to rise by 3. The word tells the
direction, so the size has no minus sign.
"""
# fails: meaning


def meaning(gradient):
    return ("stays" if gradient == 0 else "rises" if gradient > 0 else "falls"), gradient
