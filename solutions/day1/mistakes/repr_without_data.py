"""The text that `__repr__` returns holds the words but not the number: a name in braces is replaced
only in an f-string, that is, with an f before the quotes.
"""
# fails: representation


class Value(Value):
    def __repr__(self):
        return "Value(data={self.data})"
