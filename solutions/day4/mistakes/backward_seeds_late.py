"""backward seeds the root after the calls, when everything has been handed on already, all of it
0. The seed comes first.
"""
# fails: add_multiply backward subtract divide power exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz
# same_as: backward_skips_root


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
        self.grad = 1.0
