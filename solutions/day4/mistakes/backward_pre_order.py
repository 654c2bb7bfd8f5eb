"""backward calls each node when the search first arrives there, or lists it then and walks the
list from its beginning. Other nodes that use it may still come, and what they bring is never
handed on. Append after the inputs, walk from the end.
"""
# fails: add_multiply backward subtract pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def backward(self):
        order, visited = [], set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                order.append(node)
                for child in node._prev:
                    visit(child)

        visit(self)
        self.grad = 1.0
        for node in order:
            node._backward()
