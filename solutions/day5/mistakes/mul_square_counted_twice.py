"""a * a keeps 2·a for each of its two children, and the loop adds them up to 4·a. 2·a is the
derivative of the square as a whole; beside each use there stands the other factor, a.
"""
# fails: local_grads shared_nodes quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        factor = 2 if other is self else 1
        return Value(self.data * other.data, (self, other), (factor * other.data, factor * self.data))
