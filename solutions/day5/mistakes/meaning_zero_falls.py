"""meaning says that the root falls with a gradient of 0. By how much? By 0, so it stays."""
# fails: meaning


def meaning(gradient):
    return ("rises" if gradient > 0 else "falls"), abs(gradient)
