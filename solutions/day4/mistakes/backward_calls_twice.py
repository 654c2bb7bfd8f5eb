"""backward goes through the list twice. Inner nodes hand on a second time what they have already
handed on. Each node is called once.
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
        for _ in range(2):
            for node in reversed(order):
                node._backward()
