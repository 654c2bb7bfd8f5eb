# days: day1, day2, day3, day4
# Children in a tuple, reflected operators by assignment, gradients that start as an int.
from math import exp, tanh


def as_value(x):
    return x if isinstance(x, Value) else Value(x)


class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self.label = data, label
        self._prev, self._op = tuple(_children), _op
        self.grad = 0

    def _backward(self):
        """Leaves have nothing to do; operations put a function of their own in its place."""

    def __repr__(self):
        return "Value " + str(self.data)

    def __add__(self, other):
        other = as_value(other)
        total = Value(self.data + other.data, (self, other), "+")

        def back():
            for operand in (self, other):
                operand.grad += total.grad

        total._backward = back
        return total

    def __mul__(self, other):
        other = as_value(other)
        product = Value(self.data * other.data, (self, other), "*")

        def back():
            upstream = product.grad
            self.grad += upstream * other.data
            other.grad += upstream * self.data

        product._backward = back
        return product

    __radd__ = __add__
    __rmul__ = __mul__

    def __sub__(self, other):
        other = as_value(other)
        difference = Value(self.data - other.data, (self, other), "-")

        def back():
            self.grad += difference.grad
            other.grad -= difference.grad

        difference._backward = back
        return difference

    def __rsub__(self, other):
        return as_value(other) - self

    def __neg__(self):
        return 0 - self

    def __truediv__(self, other):
        other = as_value(other)
        quotient = Value(self.data / other.data, (self, other), "/")

        def back():
            self.grad += quotient.grad / other.data
            other.grad -= quotient.grad * quotient.data / other.data

        quotient._backward = back
        return quotient

    def __rtruediv__(self, other):
        return as_value(other) / self

    def __pow__(self, k):
        power = Value(self.data**k, (self,), "**")

        def back():
            self.grad += k * power.data / self.data * power.grad

        power._backward = back
        return power

    def exp(self):
        e = Value(exp(self.data), (self,), "exp")

        def back():
            self.grad += e.data * e.grad

        e._backward = back
        return e

    def tanh(self):
        t = Value(tanh(self.data), (self,), "tanh")

        def back():
            self.grad += (1 - t.data * t.data) * t.grad

        t._backward = back
        return t

    def relu(self):
        r = Value(max(self.data, 0), (self,), "relu")

        def back():
            if self.data >= 0:
                self.grad += r.grad

        r._backward = back
        return r

    def backward(self):
        seen, order = set(), []

        def visit(node):
            if node in seen:
                return
            seen.add(node)
            for child in node._prev:
                visit(child)
            order.append(node)

        visit(self)
        self.grad = 1
        while order:
            order.pop()._backward()
