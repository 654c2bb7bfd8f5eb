"""backward seeds the root and then calls nobody: the list is empty, since the search never
appends, or `node._backward` stands there without parentheses and is not called. All gradients
but the root's stay 0.
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

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
