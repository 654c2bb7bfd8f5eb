"""relu asks for the sign of a gradient when the node is made. At that time every gradient is still
0, so the local gradient is always 0. What decides is the sign of its input.
"""
# fails: local_grads one_input relu_sum meaning agreement quiz


class Value(Value):
    def relu(self):
        r = max(0.0, self.data)
        return Value(r, (self,), (1.0 if self.grad > 0 else 0.0,))
