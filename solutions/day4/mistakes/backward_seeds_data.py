"""backward writes the 1 into the root's data instead of its gradient: the result of the forward
pass is overwritten, and all gradients stay 0. Seed with `self.grad = 1.0`.
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
        self.data = 1.0
        for node in reversed(order):
            node._backward()
