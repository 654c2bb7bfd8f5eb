"""backward walks the list from its beginning, inputs before what uses them. A leaf's `_backward`
is called while nothing has arrived, and the root, the only one with a gradient, comes last.
Walk the list from its end.
"""
# fails: add_multiply backward subtract divide power exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def backward(self):
        order, visited = [], set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                for child in node._prev:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in order:
            node._backward()
