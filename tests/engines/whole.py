class Value:
    def __init__(self, data, links=()):
        self.data, self.grad, self.links = data, 0.0, links

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data, [(self, lambda g: g), (other, lambda g: g)])

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        links = [(self, lambda g: g * self.data), (other, lambda g: g * self.data)]
        return Value(self.data * other.data, links)

    def __pow__(self, n):
        return Value(self.data**n, [(self, lambda g: g * n * self.data ** (n - 1))])

    def __sub__(self, other):
        return self + other * -1

    def __truediv__(self, other):
        return self * other**-1

    def __rsub__(self, other):
        return Value(other) - self

    def __rtruediv__(self, other):
        return Value(other) / self

    __radd__, __rmul__ = __add__, __mul__

    def backward(self):
        order = []

        def visit(node):
            if node not in order:
                for child, _ in node.links:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for child, slope in node.links:
                child.grad += slope(node.grad)
