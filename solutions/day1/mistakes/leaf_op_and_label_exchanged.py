"""The operation is kept as the label and the label as the operation. The third thing that the
constructor is given is `_op`, the fourth is `label`.
"""
# fails: leaf add multiply constants subtract graphs


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._prev, self._op, self.label = data, tuple(_children), label, _op
