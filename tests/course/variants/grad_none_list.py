# days: day1, day2, day3, day4
# Gradients are None until something arrives; children in a list.
import math


class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.data = data
        self.grad = None
        self._prev = list(_children)
        self._op = _op
        self.label = label
        self._backward = lambda: None

    def receive(self, amount):
        if self.grad is None:
            self.grad = amount
        else:
            self.grad = self.grad + amount

    def __repr__(self):
        return f"<{self.label or 'value'} {self.data}, gradient {self.grad}>"

    @classmethod
    def wrap(cls, thing):
        if isinstance(thing, cls):
            return thing
        return cls(thing)

    def __add__(self, other):
        other = Value.wrap(other)
        out = Value(self.data + other.data, [self, other], "+")

        def _backward():
            self.receive(out.grad)
            other.receive(out.grad)

        out._backward = _backward
        return out

    def __radd__(self, other):
        return Value.wrap(other) + self

    def __mul__(self, other):
        other = Value.wrap(other)
        out = Value(self.data * other.data, [self, other], "*")

        def _backward():
            self.receive(other.data * out.grad)
            other.receive(self.data * out.grad)

        out._backward = _backward
        return out

    def __rmul__(self, other):
        return Value.wrap(other) * self

    def __neg__(self):
        out = Value(-self.data, [self], "neg")

        def _backward():
            self.receive(-out.grad)

        out._backward = _backward
        return out

    def __sub__(self, other):
        return self + -Value.wrap(other)

    def __rsub__(self, other):
        return Value.wrap(other) - self

    def reciprocal(self):
        out = Value(1 / self.data, [self], "1/x")

        def _backward():
            self.receive(-out.grad / self.data**2)

        out._backward = _backward
        return out

    def __truediv__(self, other):
        return self * Value.wrap(other).reciprocal()

    def __rtruediv__(self, other):
        return other * self.reciprocal()

    def __pow__(self, n):
        out = Value(math.pow(self.data, n), [self], "pow")

        def _backward():
            self.receive(n * math.pow(self.data, n - 1) * out.grad)

        out._backward = _backward
        return out

    def exp(self):
        out = Value(math.e**self.data, [self], "exp")

        def _backward():
            self.receive(out.data * out.grad)

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), [self], "tanh")

        def _backward():
            self.receive(out.grad / math.cosh(self.data) ** 2)

        out._backward = _backward
        return out

    def relu(self):
        out = Value(self.data if self.data > 0 else 0, [self], "relu")

        def _backward():
            self.receive(out.grad if self.data > 0 else 0.0)

        out._backward = _backward
        return out

    def backward(self):
        order, visited, stack = [], set(), [self]
        while stack:
            node = stack[-1]
            waiting = [child for child in node._prev if id(child) not in visited]
            if waiting:
                stack.append(waiting[0])
                continue
            stack.pop()
            if id(node) not in visited:
                visited.add(id(node))
                order.append(node)
        self.grad = 1.0
        for node in order[::-1]:
            node._backward()
