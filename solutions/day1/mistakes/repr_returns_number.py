"""`__repr__` returns the number itself. Python expects a text; an f-string or `str` makes one of a
number.
"""
# fails: representation


class Value(Value):
    def __repr__(self):
        return self.data
