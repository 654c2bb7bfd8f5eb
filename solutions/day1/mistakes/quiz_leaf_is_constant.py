"""quiz_leaf is B. Constants are leaves, but so are inputs and weights, and training changes the
data of weights all the time. What makes a leaf is that no operation made it.
"""
# fails: quiz

quiz_leaf = "B"
