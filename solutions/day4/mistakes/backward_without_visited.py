"""backward does not remember which nodes it has come to, as a plain recursion does not. A node
that two others use is called twice and hands its gradient on twice. That a graph has no
cycles does not help: paths still meet.
"""
# fails: add_multiply backward subtract pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def backward(self):
        order = []

        def visit(node):
            for child in node._prev:
                visit(child)
            order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            node._backward()
