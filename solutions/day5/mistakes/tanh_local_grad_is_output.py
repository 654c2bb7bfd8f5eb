"""tanh keeps its output as its local gradient. That would be so for exp; for tanh it is 1 - t²."""
# fails: local_grads one_input agreement


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (t,))
