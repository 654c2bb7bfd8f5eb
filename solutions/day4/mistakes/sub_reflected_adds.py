"""`3 - a` gives `3 + a`: `__rsub__` forgets the minus. The number stands in front, and self is
subtracted from it: Value(other) - self.
"""
# fails: subtract pytorch_parity mlp_loss


class Value(Value):
    def __rsub__(self, other):
        return self + other
