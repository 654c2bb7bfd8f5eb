"""`_prev` keeps the first child and loses the second. All of `_children` belongs into it."""
# fails: leaf add multiply constants subtract graphs read_back quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._prev, self._op, self.label = data, tuple(_children)[:1], _op, label
