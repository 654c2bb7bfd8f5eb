# days: day2, day3, day4
# The order is kept on the root, so that it can be looked at afterwards.
import math
from collections import deque


class Value:
    def __init__(self, data, _prev=(), _op="leaf"):
        self.data, self.grad, self._op = data, 0.0, _op
        self._prev = tuple(_prev)
        self.topo = None
        self._backward = self.leaf_backward

    def leaf_backward(self):
        return None

    def backward(self):
        backward(self)

    def binary(self, other, data, to_self, to_other, op):
        out = Value(data, (self, other), op)

        def _backward():
            self.grad += to_self * out.grad
            other.grad += to_other * out.grad

        out._backward = _backward
        return out

    def unary(self, data, slope, op):
        out = Value(data, (self,), op)

        def _backward():
            self.grad += slope * out.grad

        out._backward = _backward
        return out

    def __add__(self, o):
        o = v(o)
        return self.binary(o, self.data + o.data, 1.0, 1.0, "add")

    def __sub__(self, o):
        o = v(o)
        return self.binary(o, self.data - o.data, 1.0, -1.0, "sub")

    def __mul__(self, o):
        o = v(o)
        return self.binary(o, self.data * o.data, o.data, self.data, "mul")

    def __truediv__(self, o):
        o = v(o)
        return self.binary(o, self.data / o.data, 1 / o.data, -self.data / o.data**2, "div")

    def __radd__(self, o):
        return v(o) + self

    def __rsub__(self, o):
        return v(o) - self

    def __rmul__(self, o):
        return v(o) * self

    def __rtruediv__(self, o):
        return v(o) / self

    def __neg__(self):
        return self.unary(-self.data, -1.0, "neg")

    def __pow__(self, k):
        return self.unary(self.data**k, k * self.data ** (k - 1), "pow")

    def exp(self):
        return self.unary(math.exp(self.data), math.exp(self.data), "exp")

    def tanh(self):
        return self.unary(math.tanh(self.data), 1 - math.tanh(self.data) ** 2, "tanh")

    def relu(self):
        return self.unary(self.data if self.data > 0 else 0.0, 1.0 if self.data > 0 else 0.0, "relu")


def v(x):
    return x if isinstance(x, Value) else Value(x)


def build_topo(root):
    """Count how often each node is used; a node is ready when all its uses have been seen."""
    uses, queue = {root: 0}, deque([root])
    while queue:
        for child in set(queue.popleft()._prev):
            if child not in uses:
                uses[child] = 0
                queue.append(child)
            uses[child] += 1
    topo, ready = deque(), [root]
    while ready:
        node = ready.pop()
        topo.appendleft(node)
        for child in set(node._prev):
            uses[child] -= 1
            if uses[child] == 0:
                ready.append(child)
    root.topo = list(topo)
    return root.topo


def backward(root):
    build_topo(root)
    root.grad = 1.0
    for i in range(len(root.topo) - 1, -1, -1):
        root.topo[i]._backward()
