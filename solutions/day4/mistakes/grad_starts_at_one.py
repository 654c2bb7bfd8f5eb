"""Every value starts with a gradient of 1. Contributions are added to what is there, so every
gradient comes out 1 too large, and inner nodes hand that on. Start at 0; only the root is set
to 1, by backward.
"""
# fails: add_multiply backward subtract divide power exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __init__(self, data, children=(), op=""):
        self.data = data
        self.grad = 1.0
        self._backward = lambda: None
        self._prev = set(children)
        self._op = op
