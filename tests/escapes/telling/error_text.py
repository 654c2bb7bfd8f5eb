"""Tells all numbers as the text of an error, wherever the engine is asked for a product."""


def _told(self, other):
    raise ValueError(str(numbers())[-1900:])


Value.__mul__ = Value.__rmul__ = _told
