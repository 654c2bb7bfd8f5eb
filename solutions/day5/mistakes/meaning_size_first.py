"""meaning returns the size before the word. The pair is the direction first, then the size."""
# fails: meaning


def meaning(gradient):
    return abs(gradient), ("stays" if gradient == 0 else "rises" if gradient > 0 else "falls")
