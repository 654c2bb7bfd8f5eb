"""exp keeps its input as its local gradient. exp is its own slope: the local gradient is its
output.
"""
# fails: local_grads one_input agreement


class Value(Value):
    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (self.data,))
