"""nudge_up lists every leaf. A leaf with a negative gradient lowers L when it grows."""
# fails: leverage

nudge_up = ["a", "b", "c"]
