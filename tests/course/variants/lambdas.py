# days: day1, day2, day3, day4
# No def inside an operation: every _backward is a lambda, and every operation one expression.
import math


class Value:
    def __init__(self, data, _children=(), _op="", label="", slopes=()):
        self.data, self._op, self.label, self.grad = data, _op, label, 0.0
        self._prev = set(_children)
        self._backward = lambda: [c.gain(s * self.grad) for c, s in zip(_children, slopes)]

    gain = lambda self, amount: setattr(self, "grad", self.grad + amount)
    of = staticmethod(lambda x: x if type(x) is Value else Value(x))

    __repr__ = lambda v: "Value(" + repr(v.data) + ")"
    __add__ = lambda a, b: (lambda b: Value(a.data + b.data, (a, b), "+", "", (1, 1)))(Value.of(b))
    __mul__ = lambda a, b: (lambda b: Value(a.data * b.data, (a, b), "*", "", (b.data, a.data)))(Value.of(b))
    __pow__ = lambda a, n: Value(a.data**n, (a,), "**", "", (n * a.data ** (n - 1),))
    __radd__ = lambda a, b: a + b
    __rmul__ = lambda a, b: a * b
    __neg__ = lambda a: a * -1
    __sub__ = lambda a, b: a + -Value.of(b)
    __rsub__ = lambda a, b: -a + b
    __truediv__ = lambda a, b: a * Value.of(b) ** -1
    __rtruediv__ = lambda a, b: a**-1 * b
    exp = lambda a: (lambda e: Value(e, (a,), "exp", "", (e,)))(math.exp(a.data))
    tanh = lambda a: (lambda t: Value(t, (a,), "tanh", "", (1 - t * t,)))(math.tanh(a.data))
    relu = lambda a: Value(max(0.0, a.data), (a,), "relu", "", (float(a.data > 0),))

    def backward(self):
        order = {}
        visit = lambda n: n in order or ([visit(c) for c in n._prev], order.setdefault(n))
        visit(self)
        self.grad = 1.0
        [n._backward() for n in reversed(order)]
