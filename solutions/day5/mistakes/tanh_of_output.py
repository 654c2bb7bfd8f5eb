"""tanh was taken twice: what is kept is 1 - tanh(t)², where t is already the output. The local
gradient is 1 - t².
"""
# fails: local_grads one_input agreement


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (1 - math.tanh(t) ** 2,))
