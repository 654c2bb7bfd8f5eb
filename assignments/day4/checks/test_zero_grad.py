"""zero_grad: what a step finds in a gradient when it was cleared before, and when it was not."""

import pytest
from pytest import approx

from grader.autograd import trusted_engine

LATER = "Your predictions are compared with your own engine as soon as its operations pass."


def gradient_at(student, number):
    (w,) = student.leaves(w=number)
    ((3 * w - 6) ** 2).backward()
    return float(w.grad)


def test_second_step(student):
    """second_step holds the gradient of the second step, and where w is after it."""
    answer = student.second_step
    if not trusted_engine(student):
        pytest.skip(LATER)
    moved = 1.0 - 0.05 * gradient_at(student, 1.0)
    gradient = gradient_at(student, moved)
    assert answer == approx({"grad": gradient, "w": moved - 0.05 * gradient}, rel=1e-3)


def test_second_step_forgotten(student):
    """second_step_forgotten holds the same two numbers without zero_grad between the steps."""
    answer = student.second_step_forgotten
    if not trusted_engine(student):
        pytest.skip(LATER)
    first = gradient_at(student, 1.0)
    moved = 1.0 - 0.05 * first
    gradient = first + gradient_at(student, moved)
    assert answer == approx({"grad": gradient, "w": moved - 0.05 * gradient}, rel=1e-3)


def test_cleared(student):
    """zero_grad clears every parameter on its list and leaves data alone."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    (a * b * c).backward()
    student.zero_grad([a, b, c])
    assert [p.grad or 0.0 for p in (a, b, c)] == [0.0, 0.0, 0.0]
    assert [p.data for p in (a, b, c)] == approx([2.0, -3.0, 10.0])
    (a + a * b).backward()
    assert [a.grad, b.grad] == approx([-2.0, 2.0])
