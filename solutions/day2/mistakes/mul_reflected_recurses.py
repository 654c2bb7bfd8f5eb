"""A number on the left of × never comes to an end: `__rmul__` asks the number to do the operation
again, which asks `__rmul__` again. It should begin with the Value: `self`, then the operator,
then the other.
"""
# fails: swap_rule pytorch_parity


class Value(Value):
    def __rmul__(self, other):
        return other * self
