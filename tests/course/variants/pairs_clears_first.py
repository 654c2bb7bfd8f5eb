# days: day4, day5
# backward sets the gradients of its graph to 0 before it adds, and is one nested loop.
import math


def V(x):
    return x if isinstance(x, Value) else Value(x)


class Value(object):
    def __init__(self, data, kids=None, locals_=None, label=None):
        self.data = data
        self.label = label
        self.grad = 0.0
        self._children = kids if kids is not None else []
        self._local_grads = locals_ if locals_ is not None else []

    def __add__(self, o):
        return Value(self.data + V(o).data, [self, V(o)], [1.0, 1.0]) if o is self else add(self, V(o))

    def __mul__(self, o):
        o = V(o)
        return Value(self.data * o.data, [self, o], [o.data, self.data])

    def __pow__(self, k):
        return Value(math.pow(self.data, k), [self], [k * math.pow(self.data, k - 1)])

    def exp(self):
        return Value(math.exp(self.data), [self], [math.exp(self.data)])

    def tanh(self):
        a, b = math.exp(self.data), math.exp(-self.data)
        t = (a - b) / (a + b)
        return Value(t, [self], [1 - t * t])

    def relu(self):
        if self.data > 0:
            return Value(self.data, [self], [1.0])
        return Value(0.0, [self], [0.0])

    def __neg__(self):
        return Value(-self.data, [self], [-1.0])

    def __sub__(self, o):
        return add(self, -V(o))

    def __truediv__(self, o):
        return self * V(o) ** (-1)

    def __radd__(self, o):
        return add(V(o), self)

    def __rsub__(self, o):
        return add(V(o), -self)

    def __rmul__(self, o):
        return V(o) * self

    def __rtruediv__(self, o):
        return V(o) * self ** (-1)

    def topo(self, result=None):
        result = [] if result is None else result
        if self not in result:
            for kid in self._children:
                kid.topo(result)
            result.append(self)
        return result

    def backward(self):
        nodes = self.topo()
        for node in nodes:
            node.grad = 0.0
        nodes[-1].grad = 1.0
        for node in nodes[::-1]:
            for kid, slope in zip(node._children, node._local_grads):
                kid.grad += slope * node.grad


def add(a, b):
    return Value(a.data + b.data, [a, b], [1.0, 1.0])
