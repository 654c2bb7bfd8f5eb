"""-a keeps -a as its local gradient. The slope of -a is -1 everywhere, whatever the value of a."""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __neg__(self):
        return Value(-self.data, (self,), (-self.data,))
