# days: day2, day3, day4
# Every operation is a kind of Value of its own: a sum is a Sum, a product is a Product.
import math


class Value:
    def __init__(self, data, *inputs):
        self.data = data
        self.inputs = inputs
        self.grad = 0.0

    @property
    def _prev(self):
        return list(self.inputs)

    def _backward(self):
        pass

    def __repr__(self):
        return f"{type(self).__name__}({self.data})"

    def __add__(self, other):
        return Sum(self, lift(other))

    def __mul__(self, other):
        return Product(self, lift(other))

    def __neg__(self):
        return Product(self, Value(-1.0))

    def __sub__(self, other):
        return Sum(self, -lift(other))

    def __truediv__(self, other):
        return Product(self, Power(lift(other), -1))

    def __pow__(self, exponent):
        return Power(self, exponent)

    def __radd__(self, other):
        return lift(other) + self

    def __rmul__(self, other):
        return lift(other) * self

    def __rsub__(self, other):
        return lift(other) - self

    def __rtruediv__(self, other):
        return lift(other) / self

    def exp(self):
        return Exponential(self)

    def tanh(self):
        return Tangent(self)

    def relu(self):
        return Rectified(self)

    def backward(self):
        finished, order = set(), []

        def finish(node):
            for child in node.inputs:
                if child not in finished:
                    finish(child)
            if node not in finished:
                finished.add(node)
                order.append(node)

        finish(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()


def lift(x):
    return x if isinstance(x, Value) else Value(x)


class Sum(Value):
    def __init__(self, left, right):
        super().__init__(left.data + right.data, left, right)

    def _backward(self):
        for summand in self.inputs:
            summand.grad += self.grad


class Product(Value):
    def __init__(self, left, right):
        super().__init__(left.data * right.data, left, right)

    def _backward(self):
        left, right = self.inputs
        left.grad += self.grad * right.data
        right.grad += self.grad * left.data


class Power(Value):
    def __init__(self, base, exponent):
        super().__init__(base.data**exponent, base)
        self.exponent = exponent

    def _backward(self):
        (base,) = self.inputs
        base.grad += self.grad * self.exponent * base.data ** (self.exponent - 1)


class Exponential(Value):
    def __init__(self, x):
        super().__init__(math.exp(x.data), x)

    def _backward(self):
        self.inputs[0].grad += self.grad * self.data


class Tangent(Value):
    def __init__(self, x):
        super().__init__(math.tanh(x.data), x)

    def _backward(self):
        self.inputs[0].grad += self.grad * (1 - self.data**2)


class Rectified(Value):
    def __init__(self, x):
        super().__init__(max(x.data, 0.0), x)

    def _backward(self):
        self.inputs[0].grad += self.grad if self.data > 0 else 0.0
