"""quiz_minus_nodes is 3: a, b and one result, as if minus were an operation of its own. Built as a
+ (-1) * b it has a leaf for -1 and a node for the product as well.
"""
# fails: quiz

quiz_minus_nodes = 3
