"""Day 3 in another shape: a recursive search that keeps a dictionary of states, a walk by index.

It stops at Python's recursion limit, as most first answers do: all that it lacks is the long chain.
"""

import math


class Value:
    def __init__(self, data, _children=()):
        self.data = data
        self.grad = 0.0
        self._backward = lambda: None
        self._prev = set(_children)

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))

        def _backward():
            self.grad += out.grad
            other.grad += out.grad

        out._backward = _backward
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))

        def _backward():
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad

        out._backward = _backward
        return out

    def tanh(self):
        out = Value(math.tanh(self.data), (self,))

        def _backward():
            self.grad += (1 - out.data**2) * out.grad

        out._backward = _backward
        return out

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def backward(self):
        backward(self)


def build_topo(root):
    order, state = [], {}

    def explore(node):
        if node not in state:
            state[node] = "open"
            for child in node._prev:
                explore(child)
            state[node] = "listed"
            order.append(node)

    explore(root)
    return order


def backward(root):
    order = build_topo(root)
    root.grad = 1.0
    for i in range(len(order) - 1, -1, -1):
        order[i]._backward()


quiz_reuse_a, quiz_same_graph_twice, quiz_two_fresh_graphs = 48, 24, 14
quiz_topo_length = 7
quiz_visited, quiz_zero_grad, quiz_wait = "C", "A", "B"
