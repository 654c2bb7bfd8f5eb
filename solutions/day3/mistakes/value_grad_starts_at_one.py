"""Every gradient of your Value starts at 1 instead of 0, so 1 too much is handed on from
everywhere. Only the root is seeded with 1, and `backward` does that.
"""
# fails: diamond shared_nodes accumulates pytorch_parity quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        super().__init__(data, _children, _op, label)
        self.grad = 1.0
