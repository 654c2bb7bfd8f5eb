# days: day4, day5
# The latest node first, from a heap of what was reached; nodes know when they were made.
import heapq
import itertools
import math

COUNTER = itertools.count()


class Value:
    def __init__(self, data, pairs=None):
        self.data = data
        self.grad = 0.0
        self.made = next(COUNTER)
        pairs = pairs or []
        self._children = [child for child, _ in pairs]
        self._local_grads = [slope for _, slope in pairs]

    def __lt__(self, other):
        return self.made > other.made

    def __add__(self, other):
        o = other if isinstance(other, Value) else Value(other)
        return Value(self.data + o.data, [(self, 1), (o, 1)])

    def __mul__(self, other):
        o = other if isinstance(other, Value) else Value(other)
        if o is self:
            return Value(self.data**2, [(self, self.data), (self, self.data)])
        return Value(self.data * o.data, [(self, o.data), (o, self.data)])

    def __truediv__(self, other):
        o = other if isinstance(other, Value) else Value(other)
        return Value(self.data / o.data, [(self, o.data**-1), (o, -self.data * o.data**-2)])

    def __pow__(self, n):
        return Value(self.data**n, [(self, n * self.data**n / self.data)])

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + other * -1

    def __rsub__(self, other):
        return self * -1 + other

    def __rtruediv__(self, other):
        return Value(other) / self

    def exp(self):
        return Value(math.exp(self.data), [(self, math.exp(self.data))])

    def tanh(self):
        return Value(math.tanh(self.data), [(self, 1 - math.tanh(self.data) ** 2)])

    def relu(self):
        return Value((self.data > 0) * self.data, [(self, int(self.data > 0))])

    def backward(self):
        heap, queued = [self], {self.made}
        self.grad = 1.0
        while heap:
            node = heapq.heappop(heap)
            for child, slope in zip(node._children, node._local_grads):
                child.grad += slope * node.grad
                if child.made not in queued:
                    queued.add(child.made)
                    heapq.heappush(heap, child)
