# days: day4
# Slots, an Enum of operations, and a _backward that is a method: nobody can put another in its place.
import enum
import math
from dataclasses import dataclass, field
from typing import ClassVar


class Op(enum.Enum):
    LEAF = enum.auto()
    ADD = enum.auto()
    MUL = enum.auto()
    POW = enum.auto()
    EXP = enum.auto()
    TANH = enum.auto()
    RELU = enum.auto()


@dataclass(eq=False, slots=True, repr=False)
class Value:
    data: float
    op: Op = Op.LEAF
    args: "list[Value]" = field(default_factory=list)
    const: float | None = None
    grad: float = field(default=0.0, init=False)

    def __repr__(self):
        return f"{self.op.name.lower()}<{self.data:.3g}>"

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, Op.ADD, [self, other])

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, Op.MUL, [self, other])

    def __pow__(self, n):
        return Value(self.data**n, Op.POW, [self], n)

    def exp(self):
        return Value(math.exp(self.data), Op.EXP, [self])

    def tanh(self):
        return Value(math.tanh(self.data), Op.TANH, [self])

    def relu(self):
        return Value(max(0.0, self.data), Op.RELU, [self])

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return (-self) + other

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return other * self**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def _backward(self):
        match self.op, self.args:
            case Op.LEAF, _:
                pass
            case Op.ADD, [a, b]:
                a.grad += self.grad
                b.grad += self.grad
            case Op.MUL, [a, b]:
                a.grad += b.data * self.grad
                b.grad += a.data * self.grad
            case Op.POW, [a]:
                a.grad += self.const * a.data ** (self.const - 1) * self.grad
            case Op.EXP, [a]:
                a.grad += self.data * self.grad
            case Op.TANH, [a]:
                a.grad += (1 - self.data**2) * self.grad
            case Op.RELU, [a]:
                a.grad += (self.data > 0) * self.grad
            case _:
                raise AssertionError(self.op)

    def backward(self):
        seen = set()
        def topo(v):
            if v not in seen:
                seen.add(v)
                for a in v.args:
                    yield from topo(a)
                yield v
        self.grad = 1.0
        for v in reversed([*topo(self)]):
            v._backward()
