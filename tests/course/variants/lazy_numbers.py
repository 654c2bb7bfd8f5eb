# days: day4
# An operation computes nothing: its number is computed when somebody reads it, or goes backward.
import math


class Value:
    def __init__(self, data=None, _prev=(), rule=None):
        self.number, self.grad, self._prev, self.rule = data, 0.0, tuple(_prev), rule
        self.slopes = ()
        self._backward = self.hand_on

    @property
    def data(self):
        if self.number is None:
            self.number, self.slopes = self.rule(*(node.data for node in self._prev))
        return self.number

    @data.setter
    def data(self, number):
        self.number = number

    def hand_on(self):
        for node, slope in zip(self._prev, self.slopes):
            node.grad += slope * self.grad

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(None, (self, other), lambda x, y: (x + y, (1.0, 1.0)))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(None, (self, other), lambda x, y: (x * y, (y, x)))

    def __pow__(self, n):
        return Value(None, (self,), lambda x: (x**n, (n * x ** (n - 1),)))

    def __neg__(self):
        return self * -1

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
        return Value(None, (self,), lambda x: (math.exp(x), (math.exp(x),)))

    def tanh(self):
        return Value(None, (self,), lambda x: (math.tanh(x), (1 - math.tanh(x) ** 2,)))

    def relu(self):
        return Value(None, (self,), lambda x: (max(x, 0.0), (float(x > 0),)))

    def backward(self):
        order, found = [], set()

        def visit(node):
            if node not in found:
                found.add(node)
                for each in node._prev:
                    visit(each)
                order.append(node)

        visit(self)
        self.data  # computes all of them
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
