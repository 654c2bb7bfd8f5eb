"""relu keeps the local gradient 1 on the negative side too. There the output stays at 0 when the
input moves, so the slope is 0.
"""
# fails: local_grads one_input relu_sum meaning agreement quiz


class Value(Value):
    def relu(self):
        r = max(0.0, self.data)
        return Value(r, (self,), (1.0,))
