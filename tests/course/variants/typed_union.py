# days: day1, day2, day3, day4
# Type hints everywhere: Union, Optional, generics and an alias.
from __future__ import annotations

import math
from typing import Any, Callable, Generic, Iterable, Optional, Set, Tuple, TypeVar, Union

N = TypeVar("N", int, float)
Number = Union[int, float]
Operand = Union["Value", Number]


class Value(Generic[N]):
    data: N
    grad: float
    _prev: Set[Value]
    _backward: Callable[[], None]

    def __init__(self, data: N, _children: Iterable[Value] = (), _op: str = "", label: Optional[str] = ""):
        self.data = data
        self.grad = 0.0
        self._prev = set(_children)
        self._op: str = _op
        self.label = label or ""
        self._backward = lambda: None

    def __repr__(self) -> str:
        return f"Value({self.data}, grad={self.grad})"

    def __add__(self, other: Operand) -> Value:
        rhs: Value = self._coerce(other)
        out: Value = Value(self.data + rhs.data, (self, rhs), "+")

        def _backward() -> None:
            self.grad += out.grad
            rhs.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other: Operand) -> Value:
        rhs: Value = self._coerce(other)
        out: Value = Value(self.data * rhs.data, (self, rhs), "*")

        def _backward() -> None:
            self.grad += rhs.data * out.grad
            rhs.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, other: Number) -> Value:
        out: Value[float] = Value(float(self.data**other), (self,), f"**{other}")

        def _backward() -> None:
            self.grad += (other * self.data ** (other - 1)) * out.grad

        out._backward = _backward
        return out

    def exp(self) -> Value[float]:
        return self._elementwise(math.exp, lambda x, y: y)

    def tanh(self) -> Value[float]:
        return self._elementwise(math.tanh, lambda x, y: 1.0 - y * y)

    def relu(self) -> Value[float]:
        return self._elementwise(lambda x: max(x, 0.0), lambda x, y: 1.0 if x > 0.0 else 0.0)

    def _elementwise(self, f: Callable[[Any], float], slope: Callable[[Any, float], float]) -> Value[float]:
        out: Value[float] = Value(f(self.data), (self,), getattr(f, "__name__", "f"))

        def _backward() -> None:
            self.grad += slope(self.data, out.data) * out.grad

        out._backward = _backward
        return out

    @staticmethod
    def _coerce(other: Operand) -> Value:
        return other if isinstance(other, Value) else Value(other)

    def __radd__(self, other: Number) -> Value:
        return self + other

    def __rmul__(self, other: Number) -> Value:
        return self * other

    def __neg__(self) -> Value:
        return self * -1

    def __sub__(self, other: Operand) -> Value:
        return self + (-self._coerce(other))

    def __rsub__(self, other: Number) -> Value:
        return self._coerce(other) + (-self)

    def __truediv__(self, other: Operand) -> Value:
        return self * self._coerce(other) ** -1

    def __rtruediv__(self, other: Number) -> Value:
        return self._coerce(other) * self**-1

    def backward(self) -> None:
        order: Tuple[Value, ...] = tuple(self._sorted(set()))
        self.grad = 1.0
        for node in reversed(order):
            node._backward()

    def _sorted(self, visited: Set[Value]) -> Iterable[Value]:
        if self in visited:
            return
        visited.add(self)
        for child in self._prev:
            yield from child._sorted(visited)
        yield self


def build_topo(root: Value) -> list[Value]:
    order: list[Value] = []
    marks: dict[Value, bool] = {}
    stack: list[Value] = [root]
    while stack:
        node = stack[-1]
        if node not in marks:
            marks[node] = False
            stack += [child for child in node._prev if child not in marks]
        else:
            stack.pop()
            if not marks[node]:
                marks[node] = True
                order.append(node)
    return order
