"""quiz_dead_relu: the sign of w does not matter to relu, which sees the sum only. A negative w has
a gradient as long as the sum is positive.
"""
# fails: quiz

quiz_dead_relu = "D"
