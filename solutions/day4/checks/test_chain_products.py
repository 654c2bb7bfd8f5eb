"""Chains of equal layers: the gradient at the beginning is the product of the local derivatives."""

import math

from pytest import approx

# Executed in the jail: layers `h * number` or `tanh(h + number)`. Their results are Values that know their own gradients,
# so no operation and no `backward` of the engine takes part.
LAYERS = """
import math

def make(Value, kind, number):
    class Layer(Value):
        def backward(self):
            self.grad, node = 1.0, self
            while isinstance(node, Layer):
                node.before.grad = (node.before.grad or 0.0) + node.slope * node.grad
                node = node.before

    def layer(h):
        h = h if isinstance(h, Value) else Value(h)
        data = h.data * number if kind == "times" else math.tanh(h.data + number)
        result = Layer(data)
        result.before, result.slope = h, number if kind == "times" else 1 - data**2
        return result

    return layer
"""


def test_chain_gradient(student, rng):
    """A chain of products with a random factor."""
    factor = rng.uniform(-1.4, -1.1)
    layer = student.helper(LAYERS, "make")(student.Value, "times", factor)
    assert student.chain_gradient(layer, rng.uniform(1, 3), 7) == approx(factor**7)


def test_chain_of_tanh(student, rng):
    """A chain of tanh whose layers work at different points."""
    bias, h = rng.uniform(0.1, 0.3), rng.uniform(-0.5, -0.2)
    layer = student.helper(LAYERS, "make")(student.Value, "tanh", bias)
    product, value = 1.0, h
    for _ in range(5):
        value = math.tanh(value + bias)
        product *= 1 - value**2
    assert student.chain_gradient(layer, h, 5) == approx(product)
