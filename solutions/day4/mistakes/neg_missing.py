"""-a raises TypeError: the class has no `__neg__`. It can be as short as self * -1."""
# fails: subtract pytorch_parity


class Value(Value):
    def __neg__(self):
        # as if it were not there, whatever the class inherits
        raise TypeError("bad operand type for unary -: 'Value'")
