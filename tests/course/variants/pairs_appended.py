# days: day4, day5
# A node is made first and its pairs are appended afterwards; a number is no node and has no pair.
import math


class Value:
    def __init__(self, data):
        self.data = data
        self.grad = 0.0
        self._children = []
        self._local_grads = []

    def depends_on(self, child, local):
        if isinstance(child, Value):
            self._children.append(child)
            self._local_grads.append(local)
        return self

    def __repr__(self):
        return f"Value({self.data}, {len(self._children)} children)"

    def __add__(self, other):
        return Value(self.data + number(other)).depends_on(self, 1.0).depends_on(other, 1.0)

    def __sub__(self, other):
        return Value(self.data - number(other)).depends_on(self, 1.0).depends_on(other, -1.0)

    def __rsub__(self, other):
        return Value(other - self.data).depends_on(self, -1.0)

    def __mul__(self, other):
        x, y = self.data, number(other)
        return Value(x * y).depends_on(self, y).depends_on(other, x)

    def __truediv__(self, other):
        x, y = self.data, number(other)
        return Value(x / y).depends_on(self, 1 / y).depends_on(other, -x / y**2)

    def __rtruediv__(self, other):
        return Value(other / self.data).depends_on(self, -other / self.data**2)

    def __neg__(self):
        return Value(-self.data).depends_on(self, -1.0)

    def __pow__(self, n):
        return Value(self.data**n).depends_on(self, n * self.data ** (n - 1))

    def exp(self):
        out = Value(math.exp(self.data))
        return out.depends_on(self, out.data)

    def tanh(self):
        out = Value(math.tanh(self.data))
        return out.depends_on(self, 1 - out.data**2)

    def relu(self):
        return Value(self.data if self.data > 0 else 0.0).depends_on(self, 1.0 if self.data > 0 else 0.0)

    __radd__ = __add__
    __rmul__ = __mul__

    def backward(self):
        order, state, stack = [], {}, [self]
        while stack:
            node = stack.pop()
            if state.get(node) == "entered":
                state[node] = "left"
                order.append(node)
            elif node not in state:
                state[node] = "entered"
                stack.append(node)
                stack.extend(child for child in node._children if child not in state)
        self.grad = 1.0
        for node in reversed(order):
            for i in range(len(node._children)):
                node._children[i].grad += node._local_grads[i] * node.grad


def number(x):
    return x.data if isinstance(x, Value) else x
