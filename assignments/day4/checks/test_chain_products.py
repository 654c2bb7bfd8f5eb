"""Chains of equal layers: the gradient at the beginning is the product of the local derivatives."""

import math

import pytest
from pytest import approx

from grader.autograd import trusted_engine

LATER = "Your predictions are compared with your own engine as soon as its operations pass."

# Executed in the jail: layers of one value. It counts how often each was applied.
LAYERS = """
def make(kind, number):
    calls = []

    def layer(h):
        calls.append(1)
        return h * number if kind == "times" else (h + number).tanh()

    return layer, lambda: len(calls)
"""


def chain(student, n, layer, start):
    (leaf,) = student.leaves(h=start)
    node = leaf
    for _ in range(n):
        node = layer(node)
    node.backward()
    return float(leaf.grad)


def all_chains(student, n):
    if not trusted_engine(student):
        pytest.skip(LATER)
    bias = math.atanh(0.6) - 0.6
    return {
        "w = 0.5": chain(student, n, lambda h: h * 0.5, 1.0),
        "w = 1.5": chain(student, n, lambda h: h * 1.5, 1.0),
        "tanh": chain(student, n, lambda h: (h + bias).tanh(), 0.6),
    }


def test_chain_gradient(student):
    """chain_gradient of four layers `h * 3` is 81."""
    layer, calls = student.helper(LAYERS, "make")("times", 3.0)
    assert student.chain_gradient(layer, 2.0, 4) == approx(81.0)
    assert calls() == 4


def test_after_ten(student):
    """after_ten holds the gradients after ten layers, to three digits."""
    answer = student.after_ten
    assert answer == approx(all_chains(student, 10), rel=0.01, abs=0)


def test_after_thirty(student):
    """after_thirty holds the gradients after thirty layers, to three digits."""
    answer = student.after_thirty
    assert answer == approx(all_chains(student, 30), rel=0.01, abs=0)


def test_residual(student):
    """residual_after_thirty is the gradient after thirty layers `h + 0.05 * h`."""
    answer = student.residual_after_thirty
    if not trusted_engine(student):
        pytest.skip(LATER)
    assert answer == approx(chain(student, 30, lambda h: h + 0.05 * h, 1.0), rel=0.01)
