"""In relu_sum_grads, a and b have their own values. Through × each factor's gradient is the other
factor's value.
"""
# fails: relu_sum

relu_sum_grads = {"a": 2, "b": -3, "c": 1, "d": 1, "e": 1}
