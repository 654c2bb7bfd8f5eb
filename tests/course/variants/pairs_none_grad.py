# days: day4, day5
# Gradients begin as None; a node is walked when all of its uses have been.
import math
from collections import Counter


class Value:
    def __init__(self, data, children=(), local_grads=()):
        self.data = data
        self.grad = None
        self._children = list(children)
        self._local_grads = list(local_grads)

    def lift(self, other):
        return other if isinstance(other, Value) else Value(other)

    def __add__(self, other):
        other = self.lift(other)
        return Value(self.data + other.data, [self, other], [1, 1])

    def __sub__(self, other):
        other = self.lift(other)
        return Value(self.data - other.data, [self, other], [1, -1])

    def __mul__(self, other):
        other = self.lift(other)
        return Value(self.data * other.data, [self, other], [other.data, self.data])

    def __truediv__(self, other):
        other = self.lift(other)
        ratio = self.data / other.data
        return Value(ratio, [self, other], [1 / other.data, -ratio / other.data])

    def __radd__(self, other):
        return self.lift(other) + self

    def __rsub__(self, other):
        return self.lift(other) - self

    def __rmul__(self, other):
        return self.lift(other) * self

    def __rtruediv__(self, other):
        return self.lift(other) / self

    def __neg__(self):
        return 0 - self

    def __pow__(self, n):
        return Value(self.data**n, [self], [n * self.data ** (n - 1)])

    def exp(self):
        return Value(math.exp(self.data), [self], [math.exp(self.data)])

    def tanh(self):
        return Value(math.tanh(self.data), [self], [1 / math.cosh(self.data) ** 2])

    def relu(self):
        return Value(self.data, [self], [1]) if self.data > 0 else Value(0, [self], [0])

    def backward(self):
        uses, todo, known = Counter(), [self], {self}
        while todo:
            for child in todo.pop()._children:
                uses[child] += 1
                if child not in known:
                    known.add(child)
                    todo.append(child)
        ready = [self]
        self.grad = 1.0
        while ready:
            node = ready.pop()
            for child, local in zip(node._children, node._local_grads):
                child.grad = (0.0 if child.grad is None else child.grad) + local * node.grad
                uses[child] -= 1
                if uses[child] == 0:
                    ready.append(child)
