"""quiz_diamond_leaves is 2: these are the two plain numbers, or a and one of them. a is a leaf, and
so are the 1 and the 3.
"""
# fails: quiz

quiz_diamond_leaves = 2
