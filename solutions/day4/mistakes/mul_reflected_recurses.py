"""A number on the left of × never comes to an end: `__rmul__` computes `other * self` with the
plain number in front, which asks `__rmul__` again. Begin with a Value.
"""
# fails: add_multiply backward exp tanh relu pytorch_parity dead_relu zero_grad gradient_descent chain_products quiz


class Value(Value):
    def __rmul__(self, other):
        return other * self
