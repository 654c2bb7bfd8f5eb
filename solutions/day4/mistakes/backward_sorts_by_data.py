"""backward calls the nodes in the order of their numbers, the largest first. The size of a value
says nothing about who uses it. Sort by the graph: inputs before what uses them.
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
        for node in sorted(order, key=lambda node: -node.data):
            node._backward()
