# days: day2, day4
# No sort at all: nodes are numbered as they are made, and walked from the latest to the earliest.
import math


class Value:
    made = 0

    def __init__(self, data, children=()):
        Value.made += 1
        self.serial = Value.made
        self.data = data
        self.grad = 0.0
        self.children = list(children)
        self._backward = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data / other.data, (self, other))

        def _backward():
            self.grad += out.grad / other.data
            other.grad += -self.data / other.data**2 * out.grad

        out._backward = _backward
        return out

    def __pow__(self, n):
        out = Value(self.data**n, (self,))

        def _backward():
            self.grad += n * self.data ** (n - 1) * out.grad

        out._backward = _backward
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,))

        def _backward():
            self.grad += out.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(2 / (1 + math.exp(-2 * self.data)) - 1, (self,))

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def relu(self):
        out = Value(0.0 if self.data < 0 else self.data, (self,))

        def _backward():
            self.grad += 0.0 if self.data < 0 else out.grad

        out._backward = _backward
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return -1 * self

    def __sub__(self, other):
        return self + -1 * other

    def __rsub__(self, other):
        return other + -1 * self

    def __rtruediv__(self, other):
        return Value(other) / self

    def backward(self):
        reached, new = {self}, [self]
        while new:
            new = [child for node in new for child in node.children if child not in reached]
            reached.update(new)
        self.grad = 1.0
        for node in sorted(reached, key=lambda node: node.serial, reverse=True):
            node._backward()
