"""Cells of submissions that several files of tests load."""

VALUE = """
class Value:
    def __init__(self, data, parent=None):
        self.data, self.grad, self.parent = data, 0.0, parent
    def twice(self):
        return Value(2 * self.data, parent=self)
"""

# Whatever is done with a Term gives a Term.
TERM = """
class Term:
    data = 1.5
    def made(self, *args, **keywords):
        return Term()
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = made
    __pow__ = __rpow__ = __matmul__ = __neg__ = __call__ = __getitem__ = tanh = made
a, b, c = Term(), Term(), Term()
"""
