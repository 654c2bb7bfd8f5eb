# days: day4, day5
# Each function is a small class that computes result and local gradients; nodes only store them.
import math


class Function:
    @classmethod
    def on(cls, *operands):
        values = [operand if isinstance(operand, Value) else Value(operand) for operand in operands]
        numbers = [value.data for value in values]
        return Value(cls.result(*numbers), values, cls.local(*numbers))


class Plus(Function):
    result = staticmethod(lambda x, y: x + y)
    local = staticmethod(lambda x, y: [1.0, 1.0])


class Minus(Function):
    result = staticmethod(lambda x, y: x - y)
    local = staticmethod(lambda x, y: [1.0, -1.0])


class Times(Function):
    result = staticmethod(lambda x, y: x * y)
    local = staticmethod(lambda x, y: [y, x])


class Over(Function):
    result = staticmethod(lambda x, y: x / y)
    local = staticmethod(lambda x, y: [1 / y, -x / y**2])


class Exp(Function):
    result = staticmethod(math.exp)
    local = staticmethod(lambda x: [math.exp(x)])


class Tanh(Function):
    result = staticmethod(math.tanh)
    local = staticmethod(lambda x: [1 - math.tanh(x) ** 2])


class ReLU(Function):
    result = staticmethod(lambda x: max(0.0, x))
    local = staticmethod(lambda x: [1.0] if x > 0 else [0.0])


class Value:
    def __init__(self, data, children=(), local_grads=()):
        self.data = data
        self.grad = 0.0
        self._children = children
        self._local_grads = local_grads

    def __add__(self, other):
        return Plus.on(self, other)

    def __radd__(self, other):
        return Plus.on(other, self)

    def __sub__(self, other):
        return Minus.on(self, other)

    def __rsub__(self, other):
        return Minus.on(other, self)

    def __mul__(self, other):
        return Times.on(self, other)

    def __rmul__(self, other):
        return Times.on(other, self)

    def __truediv__(self, other):
        return Over.on(self, other)

    def __rtruediv__(self, other):
        return Over.on(other, self)

    def __neg__(self):
        return Minus.on(0.0, self)

    def __pow__(self, n):
        return Value(self.data**n, [self], [n * self.data ** (n - 1)])

    def exp(self):
        return Exp.on(self)

    def tanh(self):
        return Tanh.on(self)

    def relu(self):
        return ReLU.on(self)

    def backward(self):
        nodes, seen = [], set()

        def collect(node):
            for child in node._children:
                if child not in seen:
                    collect(child)
            seen.add(node)
            if not any(node is other for other in nodes):
                nodes.append(node)

        collect(self)
        self.grad = 1.0
        for node in nodes[::-1]:
            for place, child in enumerate(node._children):
                child.grad = child.grad + node._local_grads[place] * node.grad
