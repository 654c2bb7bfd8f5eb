"""backward never hands the seed on: the root's own `_backward` is left out, or called before the
root is seeded. All other gradients stay 0. Seed first; then the root is the first to be
called.
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
        for node in reversed(order[:-1]):
            node._backward()
