"""relu keeps its output as its local gradient. The output is what flows forward; the slope on the
positive side is 1, however large the value.
"""
# fails: local_grads one_input relu_sum meaning agreement quiz


class Value(Value):
    def relu(self):
        r = max(0.0, self.data)
        return Value(r, (self,), (r,))
