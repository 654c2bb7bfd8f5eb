"""The local gradients are kept in a set. It has no order, and of two equal numbers, such as the 1
and 1 of a sum, it keeps one. Keep a tuple or a list.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __init__(self, data, _children=(), _local_grads=(), label=""):
        super().__init__(data, _children, _local_grads, label)
        self._local_grads = set(_local_grads)
