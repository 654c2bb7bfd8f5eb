"""tanh keeps t², where 1 - t² belongs: the slope is largest, 1, where the output is 0."""
# fails: local_grads one_input agreement


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (t**2,))
