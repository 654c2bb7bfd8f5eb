"""`__repr__` shows the label instead of the data. The label is a name for people and may be empty;
the data is what has to be seen.
"""
# fails: representation


class Value(Value):
    def __repr__(self):
        return f"Value({self.label})"
