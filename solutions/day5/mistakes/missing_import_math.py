"""`math` is used, but it is not imported: `import math` belongs into a cell above."""
# fails: local_grads one_input agreement

del math
