"""A tempting answer, since relu does cut off negative numbers, but forward: it cuts off its
input. What comes back is upstream times its slope, and the sign of a weight or of a gradient
has no say in it.
"""
# fails: quiz

quiz_dead_relu = "A"
