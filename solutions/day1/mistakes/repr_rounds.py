"""`__repr__` shows the data without what stands behind the point. Show the number as it is."""
# fails: representation


class Value(Value):
    def __repr__(self):
        return f"Value(data={int(self.data)})"
