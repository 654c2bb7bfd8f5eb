"""nudge_up lists the leaf that lowers L when it grows. A positive gradient means that L rises with
it.
"""
# fails: leverage

nudge_up = ["a"]
