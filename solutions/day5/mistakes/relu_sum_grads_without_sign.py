"""In relu_sum_grads the minus sign of a is lost: a's gradient is the value of b, which is negative.
If a grows, f falls.
"""
# fails: relu_sum

relu_sum_grads = {"a": 3, "b": 2, "c": 1, "d": 1, "e": 1}
