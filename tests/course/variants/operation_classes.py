# days: day1, day2, day3, day4
# A class for each operation, with forward and backward, and nodes that only know their operation.
import math


class Add:
    sign = "+"

    def forward(self, a, b):
        return a + b

    def backward(self, upstream):
        return upstream, upstream


class Mul:
    sign = "*"

    def forward(self, a, b):
        self.saved = a, b
        return a * b

    def backward(self, upstream):
        a, b = self.saved
        return upstream * b, upstream * a


class Div:
    sign = "/"

    def forward(self, a, b):
        self.saved = a, b
        return a / b

    def backward(self, upstream):
        a, b = self.saved
        return upstream / b, -upstream * a / (b * b)


class Pow:
    sign = "**"

    def __init__(self, exponent):
        self.exponent = exponent

    def forward(self, a):
        self.base = a
        return a**self.exponent

    def backward(self, upstream):
        return (upstream * self.exponent * self.base ** (self.exponent - 1),)


class Exp:
    sign = "exp"

    def forward(self, a):
        self.result = math.exp(a)
        return self.result

    def backward(self, upstream):
        return (upstream * self.result,)


class Tanh(Exp):
    sign = "tanh"

    def forward(self, a):
        self.result = math.tanh(a)
        return self.result

    def backward(self, upstream):
        return (upstream * (1 - self.result**2),)


class ReLU:
    sign = "relu"

    def forward(self, a):
        self.alive = a > 0
        return a if self.alive else 0.0

    def backward(self, upstream):
        return (upstream if self.alive else 0.0,)


class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self.grad = 0.0
        self.label = label
        self._op = _op
        self._prev = tuple(_children)
        self._made_by = None

    def __repr__(self):
        return f"{self.label}({self.data:g})"

    @staticmethod
    def apply(operation, *operands):
        nodes = tuple(x if isinstance(x, Value) else Value(x) for x in operands)
        result = Value(operation.forward(*(node.data for node in nodes)), nodes, operation.sign)
        result._made_by = operation
        return result

    def _backward(self):
        if self._made_by is None:
            return
        for node, contribution in zip(self._prev, self._made_by.backward(self.grad)):
            node.grad += contribution

    def __add__(self, other):
        return self.apply(Add(), self, other)

    def __radd__(self, other):
        return self.apply(Add(), other, self)

    def __mul__(self, other):
        return self.apply(Mul(), self, other)

    def __rmul__(self, other):
        return self.apply(Mul(), other, self)

    def __truediv__(self, other):
        return self.apply(Div(), self, other)

    def __rtruediv__(self, other):
        return self.apply(Div(), other, self)

    def __pow__(self, exponent):
        return self.apply(Pow(exponent), self)

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + other * -1.0

    def __rsub__(self, other):
        return other + self * -1.0

    def exp(self):
        return self.apply(Exp(), self)

    def tanh(self):
        return self.apply(Tanh(), self)

    def relu(self):
        return self.apply(ReLU(), self)

    def backward(self):
        order, seen = [], set()

        def walk(node):
            if node not in seen:
                seen.add(node)
                [walk(child) for child in node._prev]
                order.insert(0, node)

        walk(self)
        self.grad = 1.0
        for node in order:
            node._backward()
