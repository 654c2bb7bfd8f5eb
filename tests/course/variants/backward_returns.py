# days: day1, day2, day3
# _backward stores what it computed and gives it back as well; day 2's operations only.
import math


class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self.grad = 0.0
        self._backward = dict
        self._prev = set(_children)
        self._op = _op
        self.label = label

    def __repr__(self):
        return "Value(%s, %s)" % (self.data, self.label)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")

        def _backward():
            self.grad += out.grad
            other.grad += out.grad
            return self.grad, other.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")

        def _backward():
            da, db = other.data * out.grad, self.data * out.grad
            self.grad += da
            other.grad += db
            return {"self": da, "other": db}

        out._backward = _backward
        return out

    def __radd__(self, other):
        return self.__add__(other)

    def __rmul__(self, other):
        return self.__mul__(other)

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")

        def _backward():
            self.grad += (1.0 - out.data**2) * out.grad
            return self

        out._backward = _backward
        return out
