"""PyTorch has the same gradients, on random graphs and for a small network."""

import pytest
from pytest import approx

from grader.autograd import random_graph


def check(student, oracle, expression, numbers):
    expected = oracle(expression, **numbers)
    leaves = student.leaves(**numbers)
    root = expression(*leaves)
    root.backward()
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in leaves] == approx(list(expected.gradients.values()))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_random_graph(student, oracle, rng, number):
    """Random graphs of all operations."""
    check(student, oracle, *random_graph(rng, steps=9 + number))


def test_many_leaves(student, oracle, rng):
    """A random graph with five leaves."""
    check(student, oracle, *random_graph(rng, leaves=5, steps=12))


def loss(u1, u2, v1, v2, w1, w2, b1, b2, c):
    """Three samples of two inputs through two tanh units, mean squared error and weight decay."""
    total = 0.01 * (u1**2 + u2**2 + v1**2 + v2**2)
    for x, y, goal in ((0.5, -1.0, 1.0), (-1.5, 0.25, -0.5), (2.0, 1.0, 0.1)):
        h1 = (u1 * x + v1 * y + b1).tanh()
        h2 = (u2 * x + v2 * y + b2).tanh()
        total = total + (w1 * h1 + w2 * h2 + c - goal) ** 2 / 3
    return total


def test_network(student, oracle, rng):
    """The loss of a network with two hidden units."""
    names = ("u1", "u2", "v1", "v2", "w1", "w2", "b1", "b2", "c")
    check(student, oracle, loss, {name: round(rng.uniform(-1.5, 1.5), 4) for name in names})


def likelihood(u, v, b, c):
    """Two samples through relu and exp, as in logistic regression: 1 / (1 + exp(-z))."""
    total = 0
    for x, sign in ((0.8, 1), (-0.6, -1)):
        z = ((u * x + b).relu() * v + c) * sign
        total = 1 / (1 + (-z).exp()) + total
    return total


def test_logistic(student, oracle):
    """A sum of logistic terms over a relu unit."""
    check(student, oracle, likelihood, {"u": 1.3, "v": -0.7, "b": 0.4, "c": 0.2})
