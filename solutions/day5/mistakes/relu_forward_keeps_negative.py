"""relu gives a negative input back as it is. Its output there is 0."""
# fails: one_input relu_sum meaning agreement quiz


class Value(Value):
    def relu(self):
        r = self.data
        return Value(r, (self,), (1.0 if self.data > 0 else 0.0,))
