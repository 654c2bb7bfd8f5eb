"""With a number on the left of -, the operands are exchanged: 1 - a comes out as a - 1. In
`__rsub__` other is the number on the left, so it is other minus self.
"""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __rsub__(self, other):
        return self - other
