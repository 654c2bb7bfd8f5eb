"""The label is not kept: `self.label` stays empty whatever the constructor is given."""
# fails: leaf


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._prev, self._op, self.label = data, tuple(_children), _op, ""
