# days: day4
# Closures return gradients; backward keeps them in a dictionary until its end, and grad is None before.
import math


class Value:
    def __init__(self, data, _prev=(), _op=""):
        self.data, self.grad, self._prev, self._op = data, None, _prev, _op
        self._backward = None

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other), "+")
        out._backward = lambda g: (g, g)
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other), "*")
        out._backward = lambda g: (g * other.data, g * self.data)
        return out

    def __pow__(self, n):
        out = Value(self.data**n, (self,), "**")
        out._backward = lambda g: (g * n * self.data ** (n - 1),)
        return out

    def exp(self):
        out = Value(math.exp(self.data), (self,), "exp")
        out._backward = lambda g: (g * out.data,)
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,), "tanh")
        out._backward = lambda g: (g * (1 - out.data**2),)
        return out

    def relu(self):
        out = Value(self.data * (self.data > 0), (self,), "relu")
        out._backward = lambda g: (g * (self.data > 0),)
        return out

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return (-self) + other

    def __truediv__(self, other):
        return self * other**-1

    def __rtruediv__(self, other):
        return other * self**-1

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def backward(self, grad=1.0):
        order, seen = [], set()
        def visit(v):
            if v in seen:
                return
            seen.add(v)
            for c in v._prev:
                visit(c)
            order.append(v)
        visit(self)
        grads = {self: grad}
        for v in reversed(order):
            if v._backward is not None:
                for c, g in zip(v._prev, v._backward(grads[v])):
                    grads[c] = grads.get(c, 0.0) + g
        for v, g in grads.items():
            v.grad = g if v is self or v.grad is None else v.grad + g
