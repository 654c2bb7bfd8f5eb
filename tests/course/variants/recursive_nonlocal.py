# days: day2, day3 but deep_chain, day4
# A recursive sort that writes to the names of the function around it.
import math


class Value:
    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0.0
        self._backward = None
        self._prev = set(_children)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def f():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = f
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def f():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = f
        return out

    def __pow__(self, k):
        out = Value(self.data**k, (self,))

        def f():
            self.grad += k * self.data ** (k - 1) * out.grad

        out._backward = f
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,))

        def f():
            self.grad += out.data * out.grad

        out._backward = f
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))

        def f():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = f
        return out

    def relu(self):
        out = Value(self.data * (self.data > 0), (self,))

        def f():
            self.grad += (self.data > 0) * out.grad

        out._backward = f
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-1) * other

    def __rsub__(self, other):
        return (-1) * self + other

    def __truediv__(self, other):
        return self * (other**-1)

    def __rtruediv__(self, other):
        return other * (self**-1)

    def backward(self):
        backward(self)


def build_topo(root):
    order = ()
    seen = []

    def visit(node):
        nonlocal order
        if any(node is other for other in seen):
            return
        seen.append(node)
        for child in node._prev:
            visit(child)
        order = (*order, node)

    visit(root)
    return list(order)


def backward(root):
    root.grad = 1.0
    for node in reversed(build_topo(root)):
        if node._backward is not None:
            node._backward()
