"""All Values share one list of children: a default such as `_children=[]` is made only once, and
what is put into it for one Value is there for all of them. Let `_prev` be a new tuple or list in
each Value.
"""
# fails: add multiply constants subtract graphs read_back quiz


class Value(Value):
    def __init__(self, data, _children=[], _op="", label=""):
        self.data, self._prev, self._op, self.label = data, _children, _op, label

    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data + other.data, _op="+")
        out._prev.append(self)
        out._prev.append(other)
        return out

    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        out = Value(self.data * other.data, _op="*")
        out._prev.append(self)
        out._prev.append(other)
        return out
