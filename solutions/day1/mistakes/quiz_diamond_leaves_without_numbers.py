"""quiz_diamond_leaves is 1, which counts a alone. The plain numbers 1 and 3 were turned into Values
when they met an operator, and no operation made them.
"""
# fails: quiz

quiz_diamond_leaves = 1
