"""- and negation: the subtrahend's gradient has the opposite sign, and the sides stay where they are."""

from pytest import approx


def test_difference(student):
    """In L = a - b, a gets +1 and b gets -1."""
    a, b = student.leaves(a=5.5, b=3.25)
    L = a - b
    L.backward()
    assert L.data == approx(2.25)
    assert (a.grad, b.grad) == approx((1.0, -1.0))


def test_difference_of_a_difference(student):
    """In L = c - (a - b) the upstream gradient of the inner difference is -1."""
    a, b, c = student.leaves(a=5.0, b=3.0, c=-4.0)
    L = c - (a - b)
    L.backward()
    assert L.data == approx(-6.0)
    assert (a.grad, b.grad, c.grad) == approx((-1.0, 1.0, 1.0))


def test_number_on_the_right(student):
    """A number on the right: a - 4.5."""
    (a,) = student.leaves(a=5.0)
    L = a - 4.5
    L.backward()
    assert (L.data, a.grad) == approx((0.5, 1.0))


def test_number_on_the_left(student):
    """A number on the left: 1 - a is not a - 1."""
    (a,) = student.leaves(a=5.0)
    L = 1 - a
    L.backward()
    assert (L.data, a.grad) == approx((-4.0, -1.0))


def test_negation(student):
    """-a falls as fast as a grows."""
    (a,) = student.leaves(a=2.5)
    L = -a
    L.backward()
    assert (L.data, a.grad) == approx((-2.5, -1.0))
