# days: day2, day3
# Operators dispatch on the type of the other operand.
import math
from functools import singledispatchmethod


class Value:
    def __init__(self, data, prev=()):
        self.data = data
        self.grad = 0.0
        self._prev = set(prev)

    def _backward(self):
        return None

    @singledispatchmethod
    def plus(self, other):
        out = Value(self.data + other, [self])

        def _backward():
            self.grad += out.grad

        out._backward = _backward
        return out

    @singledispatchmethod
    def times(self, other):
        out = Value(self.data * other, [self])

        def _backward():
            self.grad += other * out.grad

        out._backward = _backward
        return out

    def __add__(self, other):
        return self.plus(other)

    def __mul__(self, other):
        return self.times(other)

    def __radd__(self, other):
        return self.plus(other)

    def __rmul__(self, other):
        return self.times(other)

    def tanh(self):
        out = Value(math.tanh(self.data), [self])

        def _backward():
            self.grad += out.grad * (1 - out.data**2)

        out._backward = _backward
        return out


@Value.plus.register(Value)
def _(self, other):
    out = Value(self.data + other.data, [self, other])

    def _backward():
        self.grad += out.grad
        other.grad += out.grad

    out._backward = _backward
    return out


@Value.times.register(Value)
def _(self, other):
    out = Value(self.data * other.data, [self, other])

    def _backward():
        self.grad += other.data * out.grad
        other.grad += self.data * out.grad

    out._backward = _backward
    return out
