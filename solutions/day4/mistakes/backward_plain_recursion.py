"""backward calls a node's `_backward` and then does the same for each input, without sorting. A
node that is used twice is called twice, and hands on what it had already handed on.
"""
# fails: add_multiply backward subtract pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz
# same_as: backward_without_visited


class Value(Value):
    def backward(self):
        def visit(node):
            node._backward()
            for child in node._prev:
                visit(child)

        self.grad = 1.0
        visit(self)
