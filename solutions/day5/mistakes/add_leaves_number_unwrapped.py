"""In + a plain number is used as if it were a Value, and a number has no `.data`. It has to be made
into a Value first.
"""
# fails: local_grads add_multiply shared_nodes agreement


class Value(Value):
    def __add__(self, other):
        return Value(self.data + other.data, (self, other), (1.0, 1.0))
