# days: day1, day2, day3, day4
# One _backward for all operations, which matches on the name of the operation.
import math


class Value:
    def __init__(self, data, _children=(), _op="", label="", extra=None):
        self.data = data
        self.grad = 0.0
        self._prev = _children
        self._op = _op
        self.label = label
        self.extra = extra

    def __repr__(self):
        return f"{self._op or 'leaf'}: {self.data}"

    def _backward(self):
        g = self.grad
        match self._op, *self._prev:
            case ["+", a, b]:
                a.grad += g
                b.grad += g
            case ["-", a, b]:
                a.grad += g
                b.grad -= g
            case ["*", a, b]:
                a.grad += g * b.data
                b.grad += g * a.data
            case ["/", a, b]:
                a.grad += g / b.data
                b.grad -= g * self.data / b.data
            case ["**", a]:
                a.grad += g * self.extra * a.data ** (self.extra - 1)
            case ["exp", a]:
                a.grad += g * self.data
            case ["tanh", a]:
                a.grad += g * (1 - self.data * self.data)
            case ["relu", a] if a.data > 0:
                a.grad += g

    def __add__(self, other):
        return make("+", self, other)

    def __radd__(self, other):
        return make("+", other, self)

    def __sub__(self, other):
        return make("-", self, other)

    def __rsub__(self, other):
        return make("-", other, self)

    def __mul__(self, other):
        return make("*", self, other)

    def __rmul__(self, other):
        return make("*", other, self)

    def __truediv__(self, other):
        return make("/", self, other)

    def __rtruediv__(self, other):
        return make("/", other, self)

    def __neg__(self):
        return make("-", 0, self)

    def __pow__(self, n):
        return Value(self.data**n, [self], "**", extra=n)

    def exp(self):
        return Value(math.exp(self.data), [self], "exp")

    def tanh(self):
        return Value(math.tanh(self.data), [self], "tanh")

    def relu(self):
        return Value(self.data if self.data > 0 else 0.0, [self], "relu")

    def backward(self):
        seen, post = [], []

        def dfs(node):
            seen.append(id(node))
            for child in node._prev:
                if id(child) not in seen:
                    dfs(child)
            post.append(node)

        dfs(self)
        self.grad = 1.0
        while post:
            post.pop()._backward()


def make(op, left, right):
    left, right = (x if isinstance(x, Value) else Value(x) for x in (left, right))
    x, y = left.data, right.data
    if op == "+":
        result = x + y
    elif op == "-":
        result = x - y
    elif op == "*":
        result = x * y
    else:
        result = x / y
    return Value(result, [left, right], op)
