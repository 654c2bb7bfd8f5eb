"""What a gradient means: which way the root goes, how far, and how far to trust that."""

import pytest
from pytest import approx

from grader.autograd import trusted_backward

LATER = "Your answers are compared with your own engine as soon as +, × and relu pass."


def read(student, gradient):
    answer = student.meaning(gradient)
    assert isinstance(answer, list | tuple), "`meaning` must return a pair, such as ('rises', 0.5)."
    assert len(answer) == 2, "`meaning` must return a pair, such as ('rises', 0.5)."
    direction, size = answer
    assert isinstance(direction, str), "The first of the pair is a word: 'rises', 'falls' or 'stays'."
    return direction.strip().lower(), size


def test_falls(student):
    """With a gradient of -3 the root falls by 3 when the value grows by 1."""
    direction, size = read(student, -3.0)
    assert direction == "falls"
    assert size == approx(3.0)


def test_rises(student):
    """With a gradient of 2 the root rises by 2 when the value grows by 1."""
    direction, size = read(student, 2.0)
    assert direction == "rises"
    assert size == approx(2.0)


def test_stays(student):
    """With a gradient of 0 the root stays where it is."""
    direction, size = read(student, 0.0)
    assert direction == "stays"
    assert size == approx(0.0)


def relu_sum(student, a):
    a, b, d = student.leaves(a=a, b=-3.0, d=10.0)
    f = (a * b + d).relu()
    return a, f


def test_promised(student):
    """f_by_gradient is f at a = 2, moved by the gradient of a times 2."""
    answer = student.f_by_gradient
    if not trusted_backward(student):
        pytest.skip(LATER)
    a, f = relu_sum(student, 2.0)
    f.backward()
    assert answer == approx(f.data + 2 * a.grad)


def test_in_truth(student):
    """f_in_truth is f, computed anew with a = 4."""
    answer = student.f_in_truth
    if not trusted_backward(student):
        pytest.skip(LATER)
    _, f = relu_sum(student, 4.0)
    assert answer == approx(f.data)
