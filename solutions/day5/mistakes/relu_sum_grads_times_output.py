"""relu_sum_grads multiplies by the output of relu, 4. What relu hands on is the slope, which is 1
on the positive side.
"""
# fails: relu_sum

relu_sum_grads = {"a": -12, "b": 8, "c": 4, "d": 4, "e": 4}
