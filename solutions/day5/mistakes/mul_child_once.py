"""a * a keeps its factor as a child only once: a repeated operand was left out. A value that is
used twice is a child twice, with a local gradient for each use.
"""
# fails: local_grads shared_nodes quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        if other is self:
            return Value(self.data**2, (self,), (self.data,))
        return Value(self.data * other.data, (self, other), (other.data, self.data))
