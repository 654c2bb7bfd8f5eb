"""× hands only the number to the constructor, so the result is a leaf: it knows neither what it was
made from nor by which operation.
"""
# fails: multiply constants subtract graphs read_back quiz


class Value(Value):
    def __mul__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return Value(self.data * other.data)
