"""PyTorch agrees: expressions of all the operations give the same gradients there."""

import pytest
from pytest import approx

from grader.autograd import random_graph


def compare(student, oracle, expression, leaves):
    expected = oracle(expression, **leaves)
    mine = student.leaves(**leaves)
    root = expression(*mine)
    root.backward()
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in mine] == approx(list(expected.gradients.values()))


@pytest.mark.parametrize("number", range(1, 6))
def test_random(student, oracle, rng, number):
    """On a random expression of all the operations, every gradient is PyTorch's."""
    expression, leaves = random_graph(rng, leaves=2 + number % 3, steps=9 + number)
    compare(student, oracle, expression, leaves)


def test_gates(student, oracle, rng):
    """An expression in which every operation's input is used elsewhere, too."""
    leaves = {name: round(rng.uniform(0.5, 1.5), 4) for name in "abc"}

    def expression(a, b, c):
        gate = 1 / (1 + (-a).exp())
        candidate = (a * b - c).tanh()
        kept = gate * candidate + (1 - gate) * c
        return (kept / (a - 4) + gate**2 - candidate).exp() + (kept + b).relu() * gate

    compare(student, oracle, expression, leaves)
