# days: day1, day2, day3, day4
# grad and data are properties over private attributes, the gradient always a float.
import math


class Value:
    def __init__(self, data, _children=(), _op="", label=""):
        self.__data = data
        self.__grad = 0.0
        self.__inputs = tuple(_children)
        self._op = _op
        self.label = label
        self._backward = lambda: None

    @property
    def data(self):
        return self.__data

    @data.setter
    def data(self, number):
        self.__data = number

    @property
    def grad(self):
        return self.__grad

    @grad.setter
    def grad(self, number):
        self.__grad = float(number)

    @grad.deleter
    def grad(self):
        self.__grad = 0.0

    @property
    def _prev(self):
        return set(self.__inputs)

    def __repr__(self):
        return f"Value(data={self.data!r}, grad={self.grad!r})"

    def __add__(self, other):
        other = self.__same(other)
        result = Value(self.data + other.data, (self, other), "+")

        def distribute():
            self.grad += result.grad
            other.grad += result.grad

        result._backward = distribute
        return result

    def __mul__(self, other):
        other = self.__same(other)
        result = Value(self.data * other.data, (self, other), "*")

        def swap():
            self.grad += result.grad * other.data
            other.grad += result.grad * self.data

        result._backward = swap
        return result

    def __pow__(self, exponent):
        result = Value(self.data**exponent, (self,), "^")

        def lower_exponent():
            self.grad += result.grad * exponent * self.data ** (exponent - 1)

        result._backward = lower_exponent
        return result

    def exp(self):
        result = Value(math.exp(self.data), (self,), "exp")

        def same_again():
            self.grad += result.grad * result.data

        result._backward = same_again
        return result

    def tanh(self):
        result = Value(math.tanh(self.data), (self,), "tanh")

        def flatten():
            self.grad += result.grad * (1 - result.data**2)

        result._backward = flatten
        return result

    def relu(self):
        result = Value(self.data if self.data > 0 else 0.0, (self,), "relu")

        def gate():
            self.grad += result.grad * (self.data > 0)

        result._backward = gate
        return result

    def __same(self, other):
        return other if isinstance(other, Value) else Value(other)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self):
        return -1 * self

    def __sub__(self, other):
        return self + -1 * self.__same(other)

    def __rsub__(self, other):
        return -1 * self + other

    def __truediv__(self, other):
        return self * self.__same(other) ** -1

    def __rtruediv__(self, other):
        return self**-1 * other

    def __collect(self, found, order):
        if self not in found:
            found.add(self)
            for value in self.__inputs:
                value.__collect(found, order)
            order.append(self)
        return order

    def backward(self):
        order = self.__collect(set(), [])
        self.grad = 1
        for value in reversed(order):
            value._backward()
