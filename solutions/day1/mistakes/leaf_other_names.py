"""The children are kept under another name than `_prev`, such as `prev` or `_children`. The names
begin with an underscore, `_prev` and `_op`; the later days look for them under these names.
"""
# fails: leaf add multiply constants subtract graphs read_back quiz


class Value(Value):
    def __init__(self, data, _children=(), _op="", label=""):
        self.data, self.prev, self.op, self.label = data, tuple(_children), _op, label
