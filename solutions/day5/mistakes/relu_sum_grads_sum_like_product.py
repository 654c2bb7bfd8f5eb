"""In relu_sum_grads the sum e = c + d was treated as a product: c has d's value and d has c's.
Through + the gradient passes to both unchanged.
"""
# fails: relu_sum

relu_sum_grads = {"a": -30, "b": 20, "c": 10, "d": -6, "e": 1}
