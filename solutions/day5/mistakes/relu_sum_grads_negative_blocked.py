"""In relu_sum_grads whatever is negative got 0, as if there were a relu at each node. There is one,
at the end, and its input e is positive.
"""
# fails: relu_sum

relu_sum_grads = {"a": -3, "b": 0, "c": 0, "d": 1, "e": 1}
