"""backward calls the root's `_backward` and nobody else's. Only the root's own inputs get a
gradient; nothing reaches what lies behind them. Call every node, in reverse topological
order.
"""
# fails: add_multiply backward subtract divide power exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def backward(self):
        self.grad = 1.0
        self._backward()
