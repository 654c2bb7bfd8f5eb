"""exp keeps the local gradient 1, which is its slope at 0 only. exp is its own slope: the local
gradient is its output.
"""
# fails: local_grads one_input agreement


class Value(Value):
    def exp(self):
        e = math.exp(self.data)
        return Value(e, (self,), (1.0,))
