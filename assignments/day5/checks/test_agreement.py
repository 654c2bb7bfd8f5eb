"""PyTorch has the same gradients, on random graphs and for a small network."""

import pytest
from pytest import approx

from grader.autograd import double, random_graph


@pytest.mark.parametrize("number", [1, 2, 3])
def test_random_graph(student, oracle, rng, number):
    """A random graph: the value and the gradient of every leaf are PyTorch's."""
    expression, numbers = random_graph(rng, steps=8 + number)
    expected = oracle(expression, **numbers)
    leaves = student.leaves(**numbers)
    root = expression(*leaves)
    root.backward()
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in leaves] == approx(list(expected.gradients.values()))


def lefts(a, b):
    """Numbers on the left of each operator."""
    return (5 - a) * (8 / b) + 2 / (1 - 3 * a * b) + (4 + a)


def test_numbers_on_the_left(student, oracle):
    """With numbers on the left of + - × and /, a and b have PyTorch's gradients."""
    expected = oracle(lefts, a=1.3, b=-0.8)
    a, b = student.leaves(**expected.leaves)
    root = lefts(a, b)
    root.backward()
    assert root.data == approx(expected.data)
    assert (a.grad, b.grad) == approx(tuple(expected.gradients.values()))


def loss(u, v, w, b, c):
    """Two samples through one hidden unit and a linear output, squared errors added."""
    total = 0
    for x, y in ((0.5, 1.0), (-1.5, 0.25)):
        h = (u * x + b).tanh()
        k = (v * x - b).relu()
        total = ((w * h + k + c) - y) ** 2 + total
    return total


def test_network(student, oracle):
    """The loss of a small network, whose local gradients are doubled by hand: the gradients are PyTorch's, times 2."""
    expected = oracle(loss, u=0.6, v=-0.9, w=1.4, b=0.2, c=-0.3)
    leaves = student.leaves(**expected.leaves)
    root = loss(*leaves)
    factor = double(student, root)  # 1.0 where they cannot be set
    root.backward()
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in leaves] == approx([factor * slope for slope in expected.gradients.values()])
