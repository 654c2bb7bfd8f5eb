"""The operation is kept under another name than `_op`, such as `op`. The name begins with an
underscore; the later days look for it there.
"""
# fails: leaf add multiply constants subtract graphs


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._prev, self.op, self.label = data, tuple(_children), _op, label
