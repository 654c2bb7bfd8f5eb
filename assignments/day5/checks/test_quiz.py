"""Values to read off and derive, and what lies behind them."""

import pytest
from pytest import approx

from grader.autograd import trusted_backward

LATER = "Your answer is compared with your own engine as soon as that is right."


def test_quotient(student):
    """quiz_quotient is the local gradient of a / b for b, with a = 6 and b = 2."""
    answer = student.quiz_quotient
    if not trusted_backward(student, divide=True):
        pytest.skip(LATER)
    a, b = student.leaves(a=6.0, b=2.0)
    q = a / b
    q.backward()
    assert answer == approx(b.grad)


def test_changed_later(student):
    """quiz_changed_later is b.grad when a.data is changed between the forward and the backward pass."""
    answer = student.quiz_changed_later
    if not trusted_backward(student, keeps=True):
        pytest.skip(LATER)
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a * b
    a.data = 5.0
    L.backward()
    assert answer == approx(b.grad)


def test_three_pairs(student):
    """quiz_three_pairs is a.grad of a * a + 3 * a with a = 4."""
    answer = student.quiz_three_pairs
    if not trusted_backward(student):
        pytest.skip(LATER)
    (a,) = student.leaves(a=4.0)
    y = a * a + 3 * a
    y.backward()
    assert answer == approx(a.grad)


@pytest.mark.parametrize("name", ["quiz_square", "quiz_dead_relu", "quiz_order"])
def test_choice(student, name):
    """The answer is one of the letters A to D, in quotes."""
    student.choice(name)
    pytest.skip("Which letter is right, the hidden checks say.")
