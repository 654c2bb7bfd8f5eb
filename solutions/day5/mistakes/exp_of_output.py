"""exp keeps exp of its output, so exp was taken twice. The local gradient is the output itself."""
# fails: local_grads one_input agreement


class Value(Value):
    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (math.exp(e),))
