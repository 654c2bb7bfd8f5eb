# days: day2, day3
# The sort is a generator over a stack of iterators; the engine gives its closures a shared helper.
import math


class Value:
    def __init__(self, data, children=()):
        self.data = data
        self.grad = 0
        self._prev = frozenset(children)
        self._backward = lambda: None

    def then(self, rule):
        """Attach the rule, which gets the upstream gradient."""
        self._backward = lambda: rule(self.grad)
        return self

    def take(self, gradient):
        self.grad += gradient

    def __add__(self, other):
        other = wrap(other)
        return Value(self.data + other.data, (self, other)).then(lambda g: (self.take(g), other.take(g)))

    def __mul__(self, other):
        other = wrap(other)
        x, y = self.data, other.data
        return Value(x * y, (self, other)).then(lambda g: (self.take(g * y), other.take(g * x)))

    __radd__, __rmul__ = __add__, __mul__

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,)).then(lambda g: self.take(g - g * t * t))


def wrap(x):
    try:
        x.data
    except AttributeError:
        return Value(x)
    return x


def finished(root):
    """Yield the nodes as their children are done."""
    seen, stack = {root}, [(root, iter(root._prev))]
    while stack:
        node, children = stack[-1]
        child = next((c for c in children if c not in seen), None)
        if child is None:
            stack.pop()
            yield node
        else:
            seen.add(child)
            stack.append((child, iter(child._prev)))


def build_topo(root):
    return [*finished(root)]


def backward(root):
    root.grad = 1.0
    for node in sorted(enumerate(finished(root)), key=lambda pair: -pair[0]):
        node[1]._backward()
