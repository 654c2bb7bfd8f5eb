"""`_prev` holds the container of the children as its only item, a tuple in a tuple.
`tuple(_children)` takes the children out of it; `(_children,)` wraps it once more.
"""
# fails: leaf add multiply constants subtract graphs read_back quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._op, self.label = data, _op, label
        self._prev = (_children,) if _children else ()
