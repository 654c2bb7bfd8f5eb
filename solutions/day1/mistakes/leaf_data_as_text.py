"""The constructor keeps the data as a text. Texts are joined by + and cannot be multiplied; keep
the number itself.
"""
# fails: leaf add multiply constants subtract graphs read_back quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._prev, self._op, self.label = str(data), tuple(_children), _op, label
