"""+ hands only the number to the constructor, so the result is a leaf: it knows neither what it was
made from nor by which operation.
"""
# fails: add constants subtract graphs read_back quiz


class Value(Value):
    def __add__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data + other.data)
