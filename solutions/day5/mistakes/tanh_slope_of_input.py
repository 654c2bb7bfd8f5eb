"""tanh keeps 1 - x², with its input. The square that belongs there is the one of its output: 1 -
tanh².
"""
# fails: local_grads one_input agreement


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - self.data**2,))
