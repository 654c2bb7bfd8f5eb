# days: day2, day3
# All gradients stand in one table of the module; grad only looks there.
import itertools
import math

NUMBER = itertools.count()
GRADIENTS = {}


class Value:
    def __init__(self, data, operands=()):
        self.key = next(NUMBER)
        self.data = data
        self._prev = {operand: None for operand in operands}.keys()
        GRADIENTS[self.key] = 0.0

    @property
    def grad(self):
        return GRADIENTS[self.key]

    @grad.setter
    def grad(self, number):
        GRADIENTS[self.key] = number

    def _backward(self):
        pass

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            GRADIENTS[self.key] += GRADIENTS[out.key]
            GRADIENTS[other.key] += GRADIENTS[out.key]

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            GRADIENTS[self.key] += GRADIENTS[out.key] * other.data
            GRADIENTS[other.key] += GRADIENTS[out.key] * self.data

        out._backward = _backward
        return out

    def __radd__(self, number):
        return Value(number) + self

    def __rmul__(self, number):
        return Value(number) * self

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))

        def _backward():
            GRADIENTS[self.key] += GRADIENTS[out.key] * (1 - math.tanh(self.data) ** 2)

        out._backward = _backward
        return out
