"""With a number on the left of -, the result keeps no children, so it is a leaf, and nothing
arrives at the value that was subtracted.
"""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __rsub__(self, other):
        return Value(other - self.data)
