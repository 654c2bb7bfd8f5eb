"""backward seeds the root with its own value. The seed is 1: however far the root moves, the
root moves just as far. All gradients are too large by the factor of the root's data.
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
        self.grad = self.data
        for node in reversed(order):
            node._backward()
