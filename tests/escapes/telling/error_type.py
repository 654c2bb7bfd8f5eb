"""Tells the numbers as the name of a class of errors, and as a missing name."""


def _told(self, other):
    raise type(f"Error{secret(10**6)}", (Exception,), {})


def _missing(self):
    raise NameError(name := f"x{secret(10**6)}", name=name)


Value.__mul__ = Value.__rmul__ = _told
Value.tanh = _missing
