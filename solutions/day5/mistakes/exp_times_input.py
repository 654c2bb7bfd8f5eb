"""exp keeps its output times its input. exp is its own slope: the local gradient is the output
alone.
"""
# fails: local_grads one_input agreement


class Value(Value):
    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (e * self.data,))
