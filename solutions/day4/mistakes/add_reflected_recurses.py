"""A number on the left of + never comes to an end: `__radd__` computes `other + self` with the
plain number in front, which asks `__radd__` again. Begin with a Value.
"""
# fails: add_multiply backward sums pytorch_parity mlp_loss


class Value(Value):
    def __radd__(self, other):
        return other + self
