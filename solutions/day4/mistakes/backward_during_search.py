"""backward calls each node while it searches, at the first arrival. A node that others use as
well has not got all of its gradient by then. First sort the whole graph, then call.
"""
# fails: add_multiply backward subtract pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz
# same_as: backward_pre_order


class Value(Value):
    def backward(self):
        visited = set()

        def visit(node):
            if node not in visited:
                visited.add(node)
                node._backward()
                for child in node._prev:
                    visit(child)

        self.grad = 1.0
        visit(self)
