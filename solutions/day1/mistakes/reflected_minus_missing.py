"""5 - a fails: the number knows nothing of your class, and Python finds no `__rsub__` to ask
instead.
"""
# fails: subtract


def reflected_minus(self, other):
    return NotImplemented


Value.__rsub__ = reflected_minus
