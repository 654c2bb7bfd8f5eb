# days: day2, day3, day4
# A leaf has no _backward at all; whoever walks asks first.
import math


class Value:
    label = ""

    def __init__(self, data, *children):
        self.data = data
        self.grad = 0.0
        self._prev = list(children)

    @staticmethod
    def made(data, back, *children):
        out = Value(data, *children)
        out._backward = lambda: back(out.grad)
        return out

    def __add__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)

        def back(g):
            self.grad += g
            other.grad += g

        return Value.made(self.data + other.data, back, self, other)

    def __mul__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)

        def back(g):
            self.grad += g * other.data
            other.grad += g * self.data

        return Value.made(self.data * other.data, back, self, other)

    def __truediv__(self, other):
        if isinstance(other, (int, float)):
            other = Value(other)

        def back(g):
            self.grad += g / other.data
            other.grad -= g * self.data / other.data**2

        return Value.made(self.data / other.data, back, self, other)

    def __pow__(self, p):
        def back(g):
            self.grad += g * p * self.data ** (p - 1)

        return Value.made(self.data**p, back, self)

    def exp(self):
        e = math.exp(self.data)

        def back(g):
            self.grad += g * e

        return Value.made(e, back, self)

    def tanh(self):
        t = math.tanh(self.data)

        def back(g):
            self.grad += g * (1 - t**2)

        return Value.made(t, back, self)

    def relu(self):
        positive = self.data > 0

        def back(g):
            self.grad += g if positive else 0

        return Value.made(self.data if positive else 0, back, self)

    def __neg__(self):
        return -1 * self

    def __sub__(self, other):
        return self + -1 * other

    def __radd__(self, other):
        return Value(other) + self

    def __rmul__(self, other):
        return Value(other) * self

    def __rsub__(self, other):
        return Value(other) - self

    def __rtruediv__(self, other):
        return Value(other) / self

    def backward(self):
        backward(self)


def build_topo(root):
    """Depth first, with a list in the place of waiting calls."""
    order, entered, path = [], {id(root)}, [(root, list(root._prev))]
    while path:
        node, remaining = path[-1]
        if not remaining:
            order.append(node)
            path.pop()
            continue
        child = remaining.pop()
        if id(child) not in entered:
            entered.add(id(child))
            path.append((child, list(child._prev)))
    return order


def backward(root):
    root.grad = 1.0
    for node in build_topo(root)[::-1]:
        if hasattr(node, "_backward"):
            node._backward()
