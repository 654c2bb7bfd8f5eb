"""Every gradient starts at 1 instead of 0, so everything that arrives is 1 too large. Only the root
is seeded with 1, when the backward pass begins.
"""
# fails: backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __init__(self, data, _children=(), _local_grads=(), label=""):
        super().__init__(data, _children, _local_grads, label)
        self.grad = 1.0
