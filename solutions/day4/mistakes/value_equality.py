"""Values are compared by their data: `__eq__` and `__hash__` take two values that hold the same
number for one. A set of visited nodes then skips the second, and its gradient is never handed
on. Leave both out; an object is equal to itself.
"""
# fails: backward exp tanh relu sums pytorch_parity mlp_loss dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __eq__(self, other):
        return isinstance(other, Value) and self.data == other.data

    def __hash__(self):
        return hash(self.data)
