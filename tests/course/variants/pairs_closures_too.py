# days: day2, day4, day5
# Pairs, and a _backward that goes through them: one engine for both styles.
import math
from typing import Sequence, Union


class Value:
    def __init__(self, data: float, parts: Sequence["Value"] = (), slopes: Sequence[float] = ()):
        assert len(parts) == len(slopes)
        self.data = data
        self.grad = 0.0
        self._children = parts
        self._local_grads = slopes

    def _backward(self) -> None:
        for part, slope in zip(self._children, self._local_grads):
            part.grad += slope * self.grad

    def __add__(self, other: Union["Value", float]) -> "Value":
        if not isinstance(other, Value):
            return Value(self.data + other, (self,), (1.0,))
        return Value(self.data + other.data, (self, other), (1.0, 1.0))

    def __mul__(self, other: Union["Value", float]) -> "Value":
        if not isinstance(other, Value):
            return Value(self.data * other, (self,), (other,))
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    __radd__ = __add__
    __rmul__ = __mul__

    def __pow__(self, n: float) -> "Value":
        return Value(self.data**n, (self,), (n * self.data ** (n - 1),))

    def __neg__(self) -> "Value":
        return self * -1.0

    def __sub__(self, other: Union["Value", float]) -> "Value":
        return self + other * -1.0

    def __rsub__(self, other: float) -> "Value":
        return self * -1.0 + other

    def __truediv__(self, other: Union["Value", float]) -> "Value":
        return self * other**-1.0

    def __rtruediv__(self, other: float) -> "Value":
        return self**-1.0 * other

    def exp(self) -> "Value":
        return Value(math.exp(self.data), (self,), (math.exp(self.data),))

    def tanh(self) -> "Value":
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - t**2,))

    def relu(self) -> "Value":
        return Value(max(0.0, self.data), (self,), (1.0 if self.data > 0 else 0.0,))

    def backward(self) -> None:
        topo: list[Value] = []
        visited: set[int] = set()

        def go(node: Value) -> None:
            if id(node) in visited:
                return
            visited.add(id(node))
            for part in node._children:
                go(part)
            topo.append(node)

        go(self)
        self.grad = 1.0
        for node in reversed(topo):
            node._backward()
