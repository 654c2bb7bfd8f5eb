"""quiz_diamond_leaves is 6, which is the number of all nodes. b, c and d were made by operations
and are no leaves.
"""
# fails: quiz

quiz_diamond_leaves = 6
