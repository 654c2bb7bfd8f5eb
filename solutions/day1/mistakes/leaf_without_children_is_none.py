"""A leaf's `_prev` is None. A leaf has no children, and an empty tuple, list or set says so; with
None every loop over `_prev` stops with an error.
"""
# fails: leaf add multiply constants subtract graphs read_back quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._op, self.label = data, _op, label
        self._prev = tuple(_children) or None
