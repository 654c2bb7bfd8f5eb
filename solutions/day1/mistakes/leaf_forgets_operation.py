"""`_op` stays empty whatever the constructor is given, so no node tells which operation made it."""
# fails: leaf add multiply constants subtract graphs


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._prev, self._op, self.label = data, tuple(_children), "", label
