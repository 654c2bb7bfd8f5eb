# days: day2, day3, day4
# The arithmetic lives in a mixin, the graph in a base class, the rules in the class of the name.
import math
from abc import ABC, abstractmethod


class Arithmetic:
    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + self.lift(other) * -1.0

    def __rsub__(self, other):
        return self.lift(other) - self

    def __truediv__(self, other):
        return self * self.lift(other) ** -1

    def __rtruediv__(self, other):
        return self.lift(other) * self**-1


class Node(ABC):
    def __init__(self, data, inputs):
        self.data = data
        self.grad = 0.0
        self._prev = inputs
        self._backward = self.do_nothing

    def do_nothing(self):
        pass

    @classmethod
    def lift(cls, x):
        return x if isinstance(x, Node) else cls(x)

    @abstractmethod
    def __add__(self, other): ...

    def backward(self):
        pending, order = {}, []

        def count(node):
            for child in node._prev:
                pending[child] = pending.get(child, 0) + 1
                if pending[child] == 1:
                    count(child)

        count(self)
        ready = [self]
        self.grad = 1.0
        while ready:
            node = ready.pop(0)
            node._backward()
            order.append(node)
            for child in node._prev:
                pending[child] -= 1
                if not pending[child]:
                    ready.append(child)


class Value(Arithmetic, Node):
    def __init__(self, data, *inputs):
        super().__init__(data, inputs)

    def __add__(self, other):
        other = self.lift(other)
        out = Value(self.data + other.data, self, other)

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = self.lift(other)
        out = Value(self.data * other.data, self, other)

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):
        out = Value(self.data**n, self)

        def _backward():
            self.grad += n * out.grad * self.data ** (n - 1)

        out._backward = _backward
        return out

    def exp(self):
        out = Value(math.exp(self.data), self)

        def _backward():
            self.grad += out.grad * out.data

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), self)

        def _backward():
            self.grad += out.grad * (1 - out.data) * (1 + out.data)

        out._backward = _backward
        return out

    def relu(self):
        out = Value((self.data + abs(self.data)) / 2, self)

        def _backward():
            self.grad += out.grad * (out.data > 0)

        out._backward = _backward
        return out
