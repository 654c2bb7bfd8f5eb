"""a * b keeps only its right factor as a child, so nothing ever arrives at the left one. Every
operand is a child, with a local gradient of its own.
"""
# fails: local_grads backward add_multiply subtract_divide power one_input relu_sum meaning shared_nodes agreement quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (other,), (self.data,))
