"""There is no `__repr__`, or it has another name, so Python shows where the object lies in memory.
The name has two underscores on either side.
"""
# fails: representation


class Value(Value):
    __repr__ = object.__repr__
