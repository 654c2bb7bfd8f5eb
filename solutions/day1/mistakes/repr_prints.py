"""`__repr__` prints a text and returns nothing. Python expects the text back, so it has to be
returned.
"""
# fails: representation


class Value(Value):
    def __repr__(self):
        print(f"Value(data={self.data})")
