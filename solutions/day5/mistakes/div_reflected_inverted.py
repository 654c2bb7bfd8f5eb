"""With a number on the left of /, the quotient is upside down: 1 / a comes out as a / 1. In
`__rtruediv__` other is the number on the left, so it is other divided by self.
"""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __rtruediv__(self, other):
        return self / other
