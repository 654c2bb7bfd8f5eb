"""`_prev` holds the numbers of the children instead of the children. A number says how large an
input was, but not which Value it came from, and nothing further down can be found from it.
"""
# fails: leaf add multiply constants subtract graphs read_back quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._op, self.label = data, _op, label
        self._prev = tuple(child.data for child in _children)
