"""a**n keeps no child, so it is a leaf, and nothing ever arrives at a."""
# fails: local_grads power one_input agreement


class Value(Value):
    def __pow__(self, exponent):
        return Value(self.data**exponent)
