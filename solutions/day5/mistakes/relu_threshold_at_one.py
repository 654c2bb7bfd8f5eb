"""relu counts an input as positive only above 1. It bends at 0: every input above 0 passes with the
local gradient 1.
"""
# fails: local_grads one_input agreement


class Value(Value):
    def relu(self):
        r = max(0.0, self.data)
        return Value(r, (self,), (1.0 if self.data > 1 else 0.0,))
