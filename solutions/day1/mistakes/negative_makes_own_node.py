"""-a makes a node with an operation of its own. Multiply by -1 instead: × is there already, and has
its rule tomorrow.
"""
# fails: subtract


def negative(self):
    return Value(-self.data, (self,), "neg")


Value.__neg__ = negative
