"""-a keeps no child, so it is a leaf, and nothing ever arrives at a."""
# fails: local_grads subtract_divide agreement


class Value(Value):
    def __neg__(self):
        return Value(-self.data)
