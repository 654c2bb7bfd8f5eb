"""backward goes through the graph level by level from the root. A node that is used at two
depths is called when the first of them has been, and what arrives later is never handed on.
Sort the graph first.
"""
# fails: add_multiply backward subtract pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def backward(self):
        order, visited = [self], {self}
        for node in order:
            for child in node._prev:
                if child not in visited:
                    visited.add(child)
                    order.append(child)
        self.grad = 1.0
        for node in order:
            node._backward()
