"""relu_sum_grads holds the data of the nodes. A gradient says how far f moves when the node grows
by 1.
"""
# fails: relu_sum

relu_sum_grads = {"a": 2, "b": -3, "c": -6, "d": 10, "e": 4}
