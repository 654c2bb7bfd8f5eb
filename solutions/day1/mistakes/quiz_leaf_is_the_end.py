"""quiz_leaf is A. A node that no other one uses is the root, the other end of the graph. A leaf is
where the graph begins: no operation made it.
"""
# fails: quiz

quiz_leaf = "A"
