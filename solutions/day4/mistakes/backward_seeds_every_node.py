"""backward sets the gradient of every node to 1, not only the root's. The contributions are then
added to that 1. Only the root is seeded.
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
        for node in order:
            node.grad = 1.0
        for node in reversed(order):
            node._backward()
