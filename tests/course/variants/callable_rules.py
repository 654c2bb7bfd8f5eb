# days: day2, day3
# _backward is an object with __call__; leaves share one that does nothing.
import math


class Rule:
    def __init__(self, out, *edges):
        self.out, self.edges = out, edges

    def __call__(self):
        for value, local in self.edges:
            value.grad += local() * self.out.grad


class NoRule:
    def __call__(self):
        return NotImplemented


NO_RULE = NoRule()


class Value:
    def __init__(self, data, inputs=()):
        self.data = data
        self.grad = 0.0
        self._prev = set(inputs)
        self._backward = NO_RULE

    def __add__(self, other):
        other = Value.promote(other)
        out = Value(self.data + other.data, [self, other])
        out._backward = Rule(out, (self, lambda: 1), (other, lambda: 1))
        return out

    def __mul__(self, other):
        other = Value.promote(other)
        out = Value(self.data * other.data, [self, other])
        out._backward = Rule(out, (self, lambda: other.data), (other, lambda: self.data))
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def tanh(self):
        out = Value(math.tanh(self.data), [self])
        out._backward = Rule(out, (self, lambda: 1 - out.data**2))
        return out

    @classmethod
    def promote(cls, x):
        return x if isinstance(x, cls) else cls(x)
