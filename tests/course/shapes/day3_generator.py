"""Day 3 in another shape: generators over an explicit stack of iterators."""

import math


class Value:
    def __init__(self, data, inputs=(), slopes=()):
        self.data, self.grad = data, 0
        self._prev = set(inputs)
        self._edges = list(zip(inputs, slopes))

    def _backward(self):
        for node, slope in self._edges:
            node.grad += slope * self.grad

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, (self, other), (1, 1))

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data, (self, other), (other.data, self.data))

    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - t * t,))

    __radd__ = __add__
    __rmul__ = __mul__


def finished(root):
    """Yield every node once, as soon as all of its children have been yielded."""
    met = {root}
    path = [(root, iter(root._prev))]
    while path:
        node, children = path[-1]
        for child in children:
            if child not in met:
                met.add(child)
                path.append((child, iter(child._prev)))
                break
        else:
            path.pop()
            yield node


def build_topo(root):
    return list(finished(root))


def from_the_root(root):
    """Yield every node after everything that uses it."""
    yield from reversed(build_topo(root))


def backward(root):
    root.grad = 1
    for node in from_the_root(root):
        node._backward()


Value.backward = backward

quiz_reuse_a, quiz_same_graph_twice, quiz_two_fresh_graphs = 48, 24, 14
quiz_topo_length = 7
quiz_visited, quiz_zero_grad, quiz_wait = "C", "A", "B"
