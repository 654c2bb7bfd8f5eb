"""The data is not kept: the constructor makes a variable `data` of its own and does not store it in
`self.data`.
"""
# fails: leaf representation add multiply constants subtract graphs read_back quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self._prev, self._op, self.label = tuple(_children), _op, label
