"""/: one over the divisor for the dividend, minus dividend over divisor squared for the divisor."""

from pytest import approx


def test_quotient(student):
    """In L = a / b at 6 and 2, a gets 1/2 and b gets -6/4."""
    a, b = student.leaves(a=6.0, b=2.0)
    L = a / b
    L.backward()
    assert L.data == approx(3.0)
    assert (a.grad, b.grad) == approx((0.5, -1.5))


def test_quotient_of_a_quotient(student):
    """In L = (a / b) / c the upstream gradient of the inner quotient is 1 / c."""
    a, b, c = student.leaves(a=12.0, b=2.0, c=-3.0)
    L = (a / b) / c
    L.backward()
    assert L.data == approx(-2.0)
    assert (a.grad, b.grad, c.grad) == approx((-1 / 6, 1.0, -2 / 3))


def test_quotient_by_a_quotient(student):
    """In L = a / (b / c) the divisor is a result: b and c get their gradients through it."""
    a, b, c = student.leaves(a=6.0, b=2.0, c=-4.0)
    L = a / (b / c)
    L.backward()
    assert L.data == approx(-12.0)
    assert (a.grad, b.grad, c.grad) == approx((-2.0, 6.0, 3.0))


def test_number_on_the_right(student):
    """A whole number on the right, a / 4, and a fraction, b / 0.5."""
    a, b = student.leaves(a=5.0, b=1.5)
    L = a / 4
    M = b / 0.5
    L.backward()
    M.backward()
    assert (L.data, a.grad) == approx((1.25, 0.25))
    assert (M.data, b.grad) == approx((3.0, 2.0))


def test_number_on_the_left(student):
    """A number on the left: 10 / a is not a / 10."""
    (a,) = student.leaves(a=4.0)
    L = 10 / a
    L.backward()
    assert (L.data, a.grad) == approx((2.5, -0.625))
