"""In complex_grads the gradient of c is the local derivative of + alone. q, the sum that c goes
into, is a factor of L, so its own gradient is the value of s, and + hands that on to c.
"""
# fails: complex_expression

complex_grads = {"a": 7.0, "b": 2.0, "c": 1.0}
