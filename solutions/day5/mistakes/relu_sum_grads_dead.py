"""relu_sum_grads says that nothing passes relu. b is negative, but relu looks at its own input: e =
-6 + 10 is positive, so the slope is 1.
"""
# fails: relu_sum

relu_sum_grads = {"a": 0, "b": 0, "c": 0, "d": 0, "e": 0}
