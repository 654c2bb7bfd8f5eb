"""In backward the search appends `self`, the root, where it should append the node that it
stands at. The list is the root over and over again.
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
                order.append(self)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
