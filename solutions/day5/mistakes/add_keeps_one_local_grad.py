"""a + b keeps two children and a single local gradient. Equal local gradients are written down once
for each child all the same, or the second child finds none.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1.0,))
