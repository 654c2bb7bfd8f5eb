"""With a number on the left of /, the number is not used: every quotient is 1 / a. It is right for
1 / a only.
"""
# fails: local_grads subtract_divide


class Value(Value):
    def __rtruediv__(self, other):
        return Value(1.0) / self
