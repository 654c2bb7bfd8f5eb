"""PyTorch agrees: the same expressions give the same gradients there."""

import pytest
from pytest import approx

from grader.autograd import walk

EXPRESSIONS = {
    "sum of products": lambda a, b, c: a * b + c * a,
    "constants": lambda a, b, c: 2 * a + b * 0.5 + c + 1,
    "square of a sum": lambda a, b, c: (a + b + c) * (a + b + c),
    "tanh inside": lambda a, b, c: (a * b).tanh() * c + a,
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_same_gradients(student, oracle, name):
    """The value and the gradient of every leaf are PyTorch's."""
    expected = oracle(EXPRESSIONS[name], a=1.5, b=-0.5, c=0.75)
    leaves = student.leaves(**expected.leaves)
    root = EXPRESSIONS[name](*leaves)
    walk(reversed(student.made()), root)
    assert root.data == approx(expected.data)
    assert [leaf.grad for leaf in leaves] == approx(list(expected.gradients.values()))
