"""`math` is used in tanh, but it is not imported: paste `import math` together with your Value, or
write it into a cell above.
"""
# fails: pytorch_parity

del math
