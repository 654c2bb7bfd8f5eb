"""PyTorch agrees: expressions of all the operations give the same gradients there."""

import pytest
from pytest import approx

from grader.autograd import random_graph


def twice(value):
    return value + value


EXPRESSIONS = {
    "exp(3a - 2b) * (a - b)": lambda a, b: (3 * a - 2 * b).exp() * (a - b),  # exp of 0
    "1 - a / (b + 2)": lambda a, b: 1 - a / (b + 2),
    "2 * tanh(a) / b": lambda a, b: 2 * a.tanh() / b,
    "(3a)**3 + (3a)**2 - b": lambda a, b: (3 * a) ** 3 + (3 * a) ** 2 - b,
    # each operation beside one other at a time, so that a second mistake leaves one of them alone
    "a / b + a": lambda a, b: a / b + a,
    "b * (a / b)": lambda a, b: b * (a / b),
    "(a - b) + a": lambda a, b: (a - b) + a,
    "(a + b) * a": lambda a, b: (a + b) * a,
    "(a + b) - b": lambda a, b: (a + b) - b,
    "a * b - a": lambda a, b: a * b - a,
    "a * b / a": lambda a, b: a * b / a,
    "exp(a) * a * b": lambda a, b: a.exp() * a * b,
    "exp(a) - a - b": lambda a, b: a.exp() - a - b,
    "tanh(a) * a * b": lambda a, b: a.tanh() * a * b,
    "tanh(a) - a - b": lambda a, b: a.tanh() - a - b,
    "a**3 - a - b": lambda a, b: a**3 - a - b,
    "a**3 * a * b": lambda a, b: a**3 * a * b,
    "a - b - relu(a)": lambda a, b: a - b - a.relu(),
    "relu(a) * a * b": lambda a, b: a.relu() * a * b,
    "(-a) + (-a) + b": lambda a, b: (-a) + (-a) + b,
    "(-a) * (-a) * b": lambda a, b: (-a) * (-a) * b,
    "twice relu": lambda a, b: twice(a.relu()) + b,
}


def compare(student, oracle, expression, leaves):
    expected = oracle(expression, **leaves)
    mine = student.leaves(**leaves)
    root = expression(*mine)
    root.backward()
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in mine] == approx(list(expected.gradients.values()))


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expression(student, oracle, name):
    """The value and the gradient of every leaf are PyTorch's."""
    compare(student, oracle, EXPRESSIONS[name], {"a": 2.0, "b": 3.0})


@pytest.mark.parametrize("number", [1, 2])
def test_random(student, oracle, rng, number):
    """On a random expression of all the operations, every gradient is PyTorch's."""
    expression, leaves = random_graph(rng, steps=8 + number)
    compare(student, oracle, expression, leaves)
