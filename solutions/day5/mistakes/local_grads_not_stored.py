"""A node keeps its children, but its local gradients are not stored: the tuple stays empty. Look at
`__init__`.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __init__(self, data, _children=(), _local_grads=(), label=""):
        super().__init__(data, _children, (), label)
