"""tanh keeps t² - 1, with the sign turned round. tanh rises everywhere, so its local gradient is
positive: 1 - t².
"""
# fails: local_grads one_input agreement


class Value(Value):
    def tanh(self):
        t = math.tanh(self.data)
        return Value(t, (self,), (t**2 - 1,))
