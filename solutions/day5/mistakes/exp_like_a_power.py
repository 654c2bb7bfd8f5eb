"""exp was differentiated as if it were a power: x times e to the x - 1. That rule is for x to the
power of a number; in exp the x stands above, and the slope is the output itself.
"""
# fails: local_grads one_input agreement


class Value(Value):
    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (self.data * math.exp(self.data - 1),))
