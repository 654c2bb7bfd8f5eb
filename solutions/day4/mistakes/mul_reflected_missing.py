"""A number on the left of × raises TypeError: the class has no `__rmul__` that works. In `3 * a` the 3
knows nothing of Value, so Python asks the right side for `__rmul__`.
"""
# fails: add_multiply backward exp tanh relu pytorch_parity dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __rmul__(self, other):
        return NotImplemented  # as if it were not there, whatever the class inherits
