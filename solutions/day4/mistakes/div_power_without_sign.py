"""a / b computes a * b: the division is built from a power, but with the exponent 1 instead of
-1.
"""
# fails: divide pytorch_parity mlp_loss dead_relu zero_grad chain_products quiz


class Value(Value):
    def __truediv__(self, other):
        other = other if isinstance(other, Value) else Value(other)
        return self * other**1
