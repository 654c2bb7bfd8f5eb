"""The children are kept as `_children`, the name of the parameter. In the object they are looked
for under `_prev`.
"""
# fails: leaf add multiply constants subtract graphs read_back quiz
# same_as: leaf_other_names


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self._children, self._op, self.label = data, tuple(_children), _op, label
