# days: day4, day5
# Pairs are kept as pairs; the two names that the notebook gives are views of them.
import math
from collections import namedtuple

Edge = namedtuple("Edge", "child slope")


class Value:
    def __init__(self, data, *edges):
        self.data, self.edges, self.grad = data, edges, 0.0

    @property
    def _children(self):
        return tuple(edge.child for edge in self.edges)

    @property
    def _local_grads(self):
        return tuple(edge.slope for edge in self.edges)

    @staticmethod
    def of(x):
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other):
        other = Value.of(other)
        return Value(self.data + other.data, Edge(other, 1.0), Edge(self, 1.0))

    def __mul__(self, other):
        other = Value.of(other)
        return Value(self.data * other.data, Edge(other, self.data), Edge(self, other.data))

    def __truediv__(self, other):
        return self * Value.of(other).inverse()

    def __sub__(self, other):
        return self + -Value.of(other)

    def __radd__(self, other):
        return Value.of(other) + self

    def __rmul__(self, other):
        return Value.of(other) * self

    def __rsub__(self, other):
        return Value.of(other) - self

    def __rtruediv__(self, other):
        return Value.of(other) / self

    def inverse(self):
        return Value(1 / self.data, Edge(self, -1 / self.data**2))

    def __neg__(self):
        return Value(-self.data, Edge(self, -1.0))

    def __pow__(self, n):
        return Value(self.data**n, Edge(self, n * self.data ** (n - 1)))

    def exp(self):
        e = math.exp(self.data)
        return Value(e, Edge(self, e))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, Edge(self, (1 - t) * (1 + t)))

    def relu(self):
        return Value(max(0.0, self.data), Edge(self, 1.0 if self.data >= 0 else 0.0))

    def backward(self):
        order = []

        def visit(node, seen=set()):
            if id(node) not in seen:
                seen.add(id(node))
                for child, _ in node.edges:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for child, slope in node.edges:
                child.grad += slope * node.grad
