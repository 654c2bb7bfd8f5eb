"""backward seeds the root with 0, so every contribution is 0. The root moves one for one with
itself: its gradient is 1.
"""
# fails: add_multiply backward subtract divide power exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz
# same_as: backward_without_seed


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
        self.grad = 0.0
        for node in reversed(order):
            node._backward()
