"""quiz_w2 says that no gradient arrives at x2·w2. What a node is worth has no say in that: +
copies the gradient of n to it, and x2 receives its share from there. Look at the step from the
product to w2.
"""
# fails: quiz

quiz_w2 = "C"
