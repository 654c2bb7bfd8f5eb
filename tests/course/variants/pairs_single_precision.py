# days: day4, day5
# Single precision throughout, with local gradients in an array.
import numpy as np


class Value:
    __array_priority__ = 15.0

    def __init__(self, data, _children=(), _local_grads=()):
        self.data = np.float32(data)
        self.grad = np.float32(0.0)
        self._children = tuple(_children)
        self._local_grads = np.array(_local_grads, dtype=np.float32)

    def __add__(self, other):
        other = wrapped(other)
        return Value(self.data + other.data, (self, other), np.ones(2, dtype=np.float32))

    def __mul__(self, other):
        other = wrapped(other)
        return Value(self.data * other.data, (self, other), [other.data, self.data])

    def __pow__(self, n):
        return Value(self.data**n, (self,), [n * self.data ** (n - 1.0)])

    def __neg__(self):
        return Value(-self.data, (self,), [-1])

    def __sub__(self, other):
        return self + -wrapped(other)

    def __truediv__(self, other):
        return self * wrapped(other) ** -1.0

    def __radd__(self, other):
        return wrapped(other) + self

    def __rmul__(self, other):
        return wrapped(other) * self

    def __rsub__(self, other):
        return wrapped(other) - self

    def __rtruediv__(self, other):
        return wrapped(other) / self

    def exp(self):
        return Value(np.exp(self.data), (self,), [np.exp(self.data)])

    def tanh(self):
        return Value(np.tanh(self.data), (self,), [1 - np.tanh(self.data) ** 2])

    def relu(self):
        return Value(np.maximum(self.data, 0), (self,), [np.heaviside(self.data, 0)])

    def backward(self):
        topo, seen = [], set()

        def sort(node):
            if node not in seen:
                seen.add(node)
                for child in node._children:
                    sort(child)
                topo.append(node)

        sort(self)
        self.grad = np.float32(1)
        for node in topo[::-1]:
            for child, contribution in zip(node._children, node._local_grads * node.grad):
                child.grad += contribution


def wrapped(x):
    return x if isinstance(x, Value) else Value(x)
