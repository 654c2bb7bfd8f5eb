"""relu keeps 1 where its input is negative and 0 where it is positive. It is the other way round:
the positive side passes.
"""
# fails: local_grads one_input relu_sum meaning agreement quiz


class Value(Value):
    def relu(self):
        r = max(0.0, self.data)
        return Value(r, (self,), (1.0 if self.data < 0 else 0.0,))
