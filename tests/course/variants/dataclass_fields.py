# days: day1, day2, day3, day4
# A dataclass whose fields are the node; equality stays that of objects.
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field


def nothing() -> None:
    """Do nothing, for leaves."""


@dataclass(eq=False)
class Value:
    data: float
    _children: tuple[Value, ...] = field(default=(), repr=False)
    _op: str = ""
    label: str = ""
    grad: float = field(default=0.0, init=False)
    _backward: Callable[[], None] = field(default_factory=lambda: nothing, init=False, repr=False)
    _prev: frozenset[Value] | set[Value] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._prev = set(self._children)

    def __add__(self, other: Value | float) -> Value:
        other = to_value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward() -> None:
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other: Value | float) -> Value:
        other = to_value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, exponent: float) -> Value:
        out = Value(self.data**exponent, (self,), "**")

        def _backward() -> None:
            self.grad += exponent * self.data ** (exponent - 1) * out.grad

        out._backward = _backward
        return out

    def _function(self, result: float, slope: float, name: str) -> Value:
        out = Value(result, (self,), name)

        def _backward() -> None:
            self.grad += slope * out.grad

        out._backward = _backward
        return out

    def exp(self) -> Value:
        return self._function(math.exp(self.data), math.exp(self.data), "exp")

    def tanh(self) -> Value:
        t = math.tanh(self.data)
        return self._function(t, 1 - t**2, "tanh")

    def relu(self) -> Value:
        return self._function(max(0.0, self.data), 1.0 if self.data > 0 else 0.0, "relu")

    def __neg__(self) -> Value:
        return self._function(-self.data, -1.0, "neg")

    def __radd__(self, other: float) -> Value:
        return self + other

    def __rmul__(self, other: float) -> Value:
        return self * other

    def __sub__(self, other: Value | float) -> Value:
        return self + -other

    def __rsub__(self, other: float) -> Value:
        return -self + other

    def __truediv__(self, other: Value | float) -> Value:
        return self * to_value(other) ** -1.0

    def __rtruediv__(self, other: float) -> Value:
        return other * self**-1.0

    def backward(self) -> None:
        topo: list[Value] = []
        visited: set[Value] = set()

        def build(node: Value) -> None:
            if node not in visited:
                visited.add(node)
                for child in node._children:
                    build(child)
                topo.append(node)

        build(self)
        self.grad = 1.0
        for node in topo[::-1]:
            node._backward()


def to_value(x: Value | float) -> Value:
    return x if isinstance(x, Value) else Value(float(x))
