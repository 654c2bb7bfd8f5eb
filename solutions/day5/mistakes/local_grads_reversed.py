"""The local gradients are kept in the opposite order of the children, in every operation, so each
child finds the number of another.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __init__(self, data, _children=(), _local_grads=(), label=""):
        super().__init__(data, _children, _local_grads, label)
        self._local_grads = tuple(reversed(_local_grads))
