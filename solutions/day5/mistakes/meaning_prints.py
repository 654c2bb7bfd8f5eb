"""meaning prints what it should return, so whoever calls it gets nothing. Use `return`."""
# fails: meaning


def meaning(gradient):
    print("rises" if gradient > 0 else "falls", abs(gradient))
