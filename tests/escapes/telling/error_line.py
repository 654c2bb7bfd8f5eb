"""Tells a digit as the line at which an error is raised."""


def _told(self, other):
    digit = secret(10)
    if digit == 0: raise ValueError
    if digit == 1: raise ValueError
    if digit == 2: raise ValueError
    if digit == 3: raise ValueError
    if digit == 4: raise ValueError
    if digit == 5: raise ValueError
    if digit == 6: raise ValueError
    if digit == 7: raise ValueError
    if digit == 8: raise ValueError
    raise ValueError


Value.__mul__ = Value.__rmul__ = _told
