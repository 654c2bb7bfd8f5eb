"""In relu_sum_grads a and b have the gradient of c as it is. × does not copy: it multiplies by the
other factor.
"""
# fails: relu_sum

relu_sum_grads = {"a": 1, "b": 1, "c": 1, "d": 1, "e": 1}
