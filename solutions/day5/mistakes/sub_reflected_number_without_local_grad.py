"""With a number on the left of -, two children are kept and one local gradient: the one of the
number is missing. The -1 then stands beside the number instead of beside the value. Every child
needs one, a number that was made into a Value too.
"""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __rsub__(self, other):
        return Value(other - self.data, (Value(other), self), (-1.0,))
