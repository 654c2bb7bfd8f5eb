"""All Values share one `_prev`, because it is kept in the class and not in the object: `self._prev`
in the constructor makes one for each Value, `_prev` in the body of the class makes one for all.
"""
# fails: leaf add multiply constants subtract graphs read_back quiz


class Value(Value):
    _prev = []

    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._op, self.label = data, _op, label
        self._prev.extend(_children)
