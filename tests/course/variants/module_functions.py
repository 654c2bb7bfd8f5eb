# days: day1, day2, day3
# Operations are functions of the module and are put into the class at the end.
import math


class Value:
    """A plain record."""

    def __init__(self, data=0.0, _children=(), _op="", label=""):
        self.__dict__.update(data=data, _prev=set(_children), _op=_op, label=label, grad=0.0)
        self.__dict__["_backward"] = lambda: None

    def __repr__(self):
        return str(self.__dict__["data"])


def is_value(x):
    return isinstance(x, Value)


def add(a, b):
    b = b if is_value(b) else Value(b)
    out = Value(a.data + b.data, (a, b), "+")

    def _backward(a=a, b=b, out=out):
        a.grad += out.grad
        b.grad += out.grad

    out._backward = _backward
    return out


def mul(a, b):
    b = b if is_value(b) else Value(b)
    out = Value(a.data * b.data, (a, b), "*")

    def _backward(a=a, b=b, out=out):
        a.grad += b.data * out.grad
        b.grad += a.data * out.grad

    out._backward = _backward
    return out


def squash(a):
    e = math.exp(-2 * a.data)
    out = Value((1 - e) / (1 + e), (a,), "tanh")

    def _backward(a=a, e=e, out=out):
        a.grad += 4 * e / (1 + e) ** 2 * out.grad

    out._backward = _backward
    return out


Value.__add__ = Value.__radd__ = add
Value.__mul__ = Value.__rmul__ = mul
Value.tanh = squash
