"""PyTorch agrees: L.backward() on your own Values gives the same gradients."""

import pytest
from pytest import approx


def deep(a, b, c):
    s = a * b
    t = s * s
    u = t * s + t
    return u * t + s * c


def neuron(a, b, c):
    h = (a * b + c).tanh()
    return (h * a + h * h).tanh() * 2 + h


EXPRESSIONS = {
    "deep": deep,
    "neuron": neuron,
    "equal values": lambda a, b, c: (a * b) * (b * a) + c,
    "shared": lambda a, b, c: (a * b + c) * (a + b) * (a * b + c),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_same_gradients(student, oracle, rng, name):
    """The value and the gradient of every leaf are PyTorch's."""
    numbers = {leaf: round(rng.uniform(0.3, 1.7) * rng.choice((-1, 1)), 6) for leaf in "abc"}
    expected = oracle(EXPRESSIONS[name], **numbers)
    leaves = student.leaves(**expected.leaves)
    root = EXPRESSIONS[name](*leaves)
    root.backward()
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in leaves] == approx(list(expected.gradients.values()))
