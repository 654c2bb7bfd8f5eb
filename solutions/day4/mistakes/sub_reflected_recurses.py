"""A number on the left of - never comes to an end: `__rsub__` computes `other - self` with the
plain number in front, which asks `__rsub__` again. Begin with a Value.
"""
# fails: subtract pytorch_parity mlp_loss


class Value(Value):
    def __rsub__(self, other):
        return other - self
