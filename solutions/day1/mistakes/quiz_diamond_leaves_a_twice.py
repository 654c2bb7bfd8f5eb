"""quiz_diamond_leaves is 4, which counts a once for each use. It is used in two places, but it is
one object, and one leaf.
"""
# fails: quiz

quiz_diamond_leaves = 4
