"""The constructor turns the data into an int, so what stands behind the point is lost. Keep the
number as it comes.
"""
# fails: leaf representation add multiply constants subtract graphs quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._prev, self._op, self.label = int(data), tuple(_children), _op, label
