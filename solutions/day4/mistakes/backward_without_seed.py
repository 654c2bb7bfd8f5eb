"""backward does not seed the root, or seeds it with 0: its gradient is 0, and every contribution
is a multiple of it. All gradients stay 0. Set `self.grad = 1.0` before the first call.
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
        for node in reversed(order):
            node._backward()
