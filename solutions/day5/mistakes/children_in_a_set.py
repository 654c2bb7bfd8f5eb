"""The children are kept in a set. A set has no order, so a child and its local gradient no longer
find together; and a value that is used twice is in it only once. Keep a tuple or a list.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __init__(self, data, _children=(), _local_grads=(), label=""):
        super().__init__(data, _children, _local_grads, label)
        self._children = set(_children)
