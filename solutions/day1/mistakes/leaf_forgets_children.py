"""`_prev` stays empty whatever the constructor is given, so no node knows what it was made from.
`_children` has to be kept in `self._prev`.
"""
# fails: leaf add multiply constants subtract graphs read_back quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._prev, self._op, self.label = data, (), _op, label
