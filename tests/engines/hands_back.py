class Value:
    def __init__(self, data, kids=()):
        self.data, self.grad, self.kids = data, 0.0, kids
        self._backward = lambda: ()

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, (self, other))
        out._backward = lambda: (out.grad, out.grad)
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, (self, other))
        out._backward = lambda: (other.data * out.grad, self.data * out.grad)
        return out

    __radd__, __rmul__ = __add__, __mul__

    def __pow__(self, n):
        out = Value(self.data**n, (self,))
        out._backward = lambda: (n * self.data ** (n - 1) * out.grad,)
        return out

    def backward(self):
        order = []

        def visit(node):
            if node not in order:
                for child in node.kids:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for child, brought in zip(node.kids, node._backward()):
                child.grad += brought
