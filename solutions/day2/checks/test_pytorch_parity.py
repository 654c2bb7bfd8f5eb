"""PyTorch agrees: the same expressions give the same gradients there."""

import pytest
from pytest import approx

from grader.autograd import walk


def shared(a, b, c):
    s = a * b + c
    return s * s + s * a


def three_times(a, b, c):
    square = a * a
    return square * square * b + square * c


def two_layers(a, b, c):
    h = (a * 0.5 + b * -1.5 + 0.25).tanh()
    k = (b * c + 1).tanh()
    return (h * k + 3 * h + c).tanh() * 2


EXPRESSIONS = {
    "shared": shared,
    "three times": three_times,
    "two layers": two_layers,
    "constants": lambda a, b, c: 2 + 3 * (a + 1) * (4 * b + c * c),
    "deep sum": lambda a, b, c: ((a + b) + (b + c)) * ((a + c) + a) + b,
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_same_gradients(student, oracle, rng, name):
    """The value and the gradient of every leaf are PyTorch's."""
    numbers = {leaf: round(rng.uniform(0.3, 1.7) * rng.choice((-1, 1)), 6) for leaf in "abc"}
    expected = oracle(EXPRESSIONS[name], **numbers)
    leaves = student.leaves(**expected.leaves)
    root = EXPRESSIONS[name](*leaves)
    walk(reversed(student.made()), root)
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in leaves] == approx(list(expected.gradients.values()))
