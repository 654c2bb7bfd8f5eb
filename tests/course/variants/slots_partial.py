# days: day1, day2, day3, day4
# Slots, and module functions bound with functools.partial in the place of closures.
import functools
import math


class Value:
    __slots__ = ("data", "grad", "label", "_prev", "_op", "_backward")

    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self.grad = 0.0
        self.label = label
        self._prev = tuple(dict.fromkeys(_children))
        self._op = _op
        self._backward = no_op

    def __str__(self):
        return f"{self.data:.4f}"

    def __repr__(self):
        return f"Value({self.data})"

    def __add__(self, other):
        return node(add_back, self, other, lambda x, y: x + y, "+")

    def __mul__(self, other):
        return node(mul_back, self, other, lambda x, y: x * y, "*")

    def __truediv__(self, other):
        return node(div_back, self, other, lambda x, y: x / y, "/")

    def __sub__(self, other):
        return node(sub_back, self, other, lambda x, y: x - y, "-")

    def __radd__(self, other):
        return Value(other).__add__(self)

    def __rmul__(self, other):
        return Value(other).__mul__(self)

    def __rsub__(self, other):
        return Value(other).__sub__(self)

    def __rtruediv__(self, other):
        return Value(other).__truediv__(self)

    def __neg__(self):
        return 0.0 - self

    def __pow__(self, n):
        return unary(self, self.data**n, n * self.data ** (n - 1), "pow")

    def exp(self):
        e = math.exp(self.data)
        return unary(self, e, e, "exp")

    def tanh(self):
        t = math.tanh(self.data)
        return unary(self, t, (1 + t) * (1 - t), "tanh")

    def relu(self):
        return unary(self, max(0.0, self.data), 1.0 if self.data > 0 else 0.0, "relu")

    def backward(self):
        order, seen = [], set()

        def go(v):
            seen.add(v)
            for w in v._prev:
                if w not in seen:
                    go(w)
            order.append(v)

        go(self)
        self.grad = 1.0
        for v in reversed(order):
            v._backward()


def no_op():
    return None


def node(rule, x, y, compute, op):
    y = y if isinstance(y, Value) else Value(y)
    out = Value(compute(x.data, y.data), (x, y), op)
    out._backward = functools.partial(rule, x, y, out)
    return out


def unary(x, result, slope, op):
    out = Value(result, (x,), op)
    out._backward = functools.partial(slope_back, x, slope, out)
    return out


def add_back(x, y, out):
    x.grad += out.grad
    y.grad += out.grad


def sub_back(x, y, out):
    x.grad += out.grad
    y.grad += -out.grad


def mul_back(x, y, out):
    x.grad += out.grad * y.data
    y.grad += out.grad * x.data


def div_back(x, y, out):
    x.grad += out.grad / y.data
    y.grad += -out.grad * x.data / y.data**2


def slope_back(x, slope, out):
    x.grad += slope * out.grad
