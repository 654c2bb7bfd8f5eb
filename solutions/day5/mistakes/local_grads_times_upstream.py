"""Every node multiplies its local gradients by its own gradient when it is made. At that time its
gradient is still 0, so 0 is what is kept. The upstream gradient comes in the loop of backward, and
only there.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __init__(self, data, _children=(), _local_grads=(), label=""):
        super().__init__(data, _children, _local_grads, label)
        self._local_grads = tuple(number * self.grad for number in _local_grads)
