"""Chains of equal layers: the gradient at the beginning is the product of the local derivatives."""

import math

from pytest import approx

# Executed in the jail: layers of one value. It counts how often each was applied.
LAYERS = """
def make(kind, number):
    calls = []

    def layer(h):
        calls.append(1)
        return h * number if kind == "times" else (h + number).tanh()

    return layer, lambda: len(calls)
"""


def test_chain_gradient(student, rng):
    """A chain of products with a random factor."""
    factor = rng.uniform(-1.4, -1.1)
    layer, _ = student.helper(LAYERS, "make")("times", factor)
    assert student.chain_gradient(layer, rng.uniform(1, 3), 7) == approx(factor**7)


def test_chain_of_tanh(student, rng):
    """A chain of tanh whose layers work at different points."""
    bias, h = rng.uniform(0.1, 0.3), rng.uniform(-0.5, -0.2)
    layer, _ = student.helper(LAYERS, "make")("tanh", bias)
    product, value = 1.0, h
    for _ in range(5):
        value = math.tanh(value + bias)
        product *= 1 - value**2
    assert student.chain_gradient(layer, h, 5) == approx(product)
