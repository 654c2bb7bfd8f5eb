"""quiz_leaf is C. Where a name stands in the expression does not matter: in c + a * b all three are
leaves. A leaf is a node that no operation made.
"""
# fails: quiz

quiz_leaf = "C"
