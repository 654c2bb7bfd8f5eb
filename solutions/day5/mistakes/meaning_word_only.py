"""meaning returns only the word. It should return two things, the word and the size."""
# fails: meaning


def meaning(gradient):
    return "stays" if gradient == 0 else "rises" if gradient > 0 else "falls"
