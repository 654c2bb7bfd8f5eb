# days: day4
# What changes nothing returns its input itself: an open relu, a sum with 0, a product with 1, a second minus.
import math


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op = data, 0.0, tuple(_prev), _op
        self._backward = lambda: None

    def made(self, data, op, *slopes_of):
        out = Value(data, [node for node, _ in slopes_of], op)

        def _backward():
            for node, slope in slopes_of:
                node.grad += slope * out.grad

        out._backward = _backward
        return out

    def __add__(self, other):
        if isinstance(other, int) and other == 0:
            return self
        other = other if isinstance(other, Value) else Value(other)
        return self.made(self.data + other.data, "+", (self, 1.0), (other, 1.0))

    def __mul__(self, other):
        if isinstance(other, int) and other == 1:
            return self
        other = other if isinstance(other, Value) else Value(other)
        return self.made(self.data * other.data, "*", (self, other.data), (other, self.data))

    def __pow__(self, n):
        return self.made(self.data**n, "**", (self, n * self.data ** (n - 1)))

    def __neg__(self):
        if self._op == "-":
            return self._prev[0]
        return self.made(-self.data, "-", (self, -1.0))

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return self**-1 * other

    __radd__, __rmul__ = __add__, __mul__

    def exp(self):
        return self.made(math.exp(self.data), "exp", (self, math.exp(self.data)))

    def tanh(self):
        return self.made(math.tanh(self.data), "tanh", (self, 1 - math.tanh(self.data) ** 2))

    def relu(self):
        return self if self.data > 0 else Value(0.0)

    def backward(self):
        order, found = [], set()

        def visit(node):
            if node not in found:
                found.add(node)
                for each in node._prev:
                    visit(each)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
