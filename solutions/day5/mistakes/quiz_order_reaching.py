"""quiz_order: finding all nodes is the sort's work, and then any order of the list would reach
them. The question is what a node has to hand on when its turn comes.
"""
# fails: quiz

quiz_order = "C"
