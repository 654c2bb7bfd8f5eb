"""`backward` works as a function, but Value has no method of that name: L.backward() needs it in
the class, as `Value.backward`.
"""
# fails: pytorch_parity

del Value.backward
