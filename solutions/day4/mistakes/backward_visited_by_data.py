"""In backward the set of visited nodes holds their data. Two nodes with the same number are
taken for one, and the second never hands its gradient on. Put the nodes themselves into the
set.
"""
# fails: backward exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def backward(self):
        order, visited = [], set()

        def visit(node):
            if node.data not in visited:
                visited.add(node.data)
                for child in node._prev:
                    visit(child)
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
