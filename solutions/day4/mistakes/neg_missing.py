"""-a raises TypeError: the class has no `__neg__`. It can be as short as self * -1.
"""
# fails: subtract pytorch_parity

del Value.__neg__
