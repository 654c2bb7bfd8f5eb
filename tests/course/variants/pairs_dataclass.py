# days: day4, day5
# A dataclass with slots; operators that differ in a table only.
from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(slots=True, eq=False)
class Value:
    data: float
    _children: tuple[Value, ...] = ()
    _local_grads: tuple[float, ...] = ()
    grad: float = 0.0

    def __add__(self, other):
        return binary(self, other, lambda x, y: (x + y, 1.0, 1.0))

    def __radd__(self, other):
        return binary(other, self, lambda x, y: (x + y, 1.0, 1.0))

    def __sub__(self, other):
        return binary(self, other, lambda x, y: (x - y, 1.0, -1.0))

    def __rsub__(self, other):
        return binary(other, self, lambda x, y: (x - y, 1.0, -1.0))

    def __mul__(self, other):
        return binary(self, other, lambda x, y: (x * y, y, x))

    def __rmul__(self, other):
        return binary(other, self, lambda x, y: (x * y, y, x))

    def __truediv__(self, other):
        return binary(self, other, lambda x, y: (x / y, 1 / y, -x / (y * y)))

    def __rtruediv__(self, other):
        return binary(other, self, lambda x, y: (x / y, 1 / y, -x / (y * y)))

    def __neg__(self):
        return unary(self, -self.data, -1.0)

    def __pow__(self, n):
        return unary(self, self.data**n, n * self.data ** (n - 1))

    def exp(self):
        return unary(self, math.exp(self.data), math.exp(self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return unary(self, t, 1 - t * t)

    def relu(self):
        return unary(self, *((self.data, 1.0) if self.data > 0 else (0.0, 0.0)))

    def backward(self):
        self.grad = 1.0
        for node in reversed(list(postorder(self, set()))):
            for child, local in zip(node._children, node._local_grads, strict=True):
                child.grad += local * node.grad


def binary(left, right, rule):
    left, right = (x if isinstance(x, Value) else Value(x) for x in (left, right))
    result, to_left, to_right = rule(left.data, right.data)
    return Value(result, (left, right), (to_left, to_right))


def unary(x, result, slope):
    return Value(result, (x,), (slope,))


def postorder(node, seen):
    if node not in seen:
        seen.add(node)
        for child in node._children:
            yield from postorder(child, seen)
        yield node
