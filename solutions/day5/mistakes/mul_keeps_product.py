"""a * b keeps the product itself beside both factors. The local gradient for a factor is the other
factor alone.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        p = self.data * other.data
        return Value(p, (self, other), (p, p))
