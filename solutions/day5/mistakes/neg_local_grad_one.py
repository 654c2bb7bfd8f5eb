"""-a keeps the local gradient 1. If a grows by 1, -a falls by 1."""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __neg__(self):
        return Value(-self.data, (self,), (1.0,))
