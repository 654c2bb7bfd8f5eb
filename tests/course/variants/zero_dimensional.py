# days: day2, day3
# Data and gradients are numpy arrays without a dimension, as somebody who comes from numpy has them.
import numpy as np


class Value:
    __array_ufunc__ = None

    def __init__(self, data, _children=()):
        self.data = np.array(data, dtype=float)
        self.grad = np.zeros(())
        self._prev = set(_children)
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad = self.grad + out.grad
            other.grad = other.grad + out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad = self.grad + other.data * out.grad
            other.grad = other.grad + self.data * out.grad

        out._backward = _backward
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def tanh(self):
        out = Value(np.tanh(self.data), (self,))

        def _backward():
            self.grad = self.grad + (1 - out.data**2) * out.grad

        out._backward = _backward
        return out
