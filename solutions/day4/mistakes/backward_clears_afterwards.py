"""backward sets the gradients to 0 while it walks or when it is done: right before a node is
called, what had just arrived there is lost, and afterwards there is nothing left to read.
Clearing is left to whoever starts the next pass.
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
        for node in reversed(order):
            node._backward()
        for node in order:
            node.grad = 0.0
