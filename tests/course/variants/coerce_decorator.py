# days: day1, day2, day3
# A decorator turns plain numbers into Values before an operator sees them.
import functools
import math


def with_values(operator):
    @functools.wraps(operator)
    def wrapper(self, other):
        return operator(self, other if isinstance(other, Value) else Value(other))

    return wrapper


class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self.grad = data, 0
        self._prev, self._op, self.label = {*_children}, _op, label
        self._backward = lambda: None

    def __repr__(self):
        return f"V[{self.data}]"

    @with_values
    def __add__(self, other):
        out = Value(self.data + other.data, [self, other], "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    @with_values
    def __mul__(self, other):
        out = Value(self.data * other.data, [self, other], "*")

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    @with_values
    def __radd__(self, other):
        return other + self

    @with_values
    def __rmul__(self, other):
        return other * self

    def tanh(self):
        x = self.data
        out = Value((math.exp(x) - math.exp(-x)) / (math.exp(x) + math.exp(-x)), [self], "tanh")

        def _backward():
            self.grad += out.grad * (1 - out.data**2)

        out._backward = _backward
        return out
