"""tanh keeps 1 - t, with its output not squared. The local gradient is 1 - t²."""
# fails: local_grads one_input agreement


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - t,))
