"""`_prev` holds new Values with the same numbers as the children. They are other objects: a
gradient that is handed to them tomorrow never reaches the Values that were used. Keep the children
themselves.
"""
# fails: leaf add multiply constants subtract graphs read_back quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._op, self.label = data, _op, label
        self._prev = tuple(Value(child.data) for child in _children)
