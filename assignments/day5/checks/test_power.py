"""Powers with a constant exponent: whole, negative, fractions."""

from pytest import approx


def test_square(student):
    """In L = a**2 with a = 3, a.grad is 6."""
    (a,) = student.leaves(a=3.0)
    L = a**2
    L.backward()
    assert (L.data, a.grad) == approx((9.0, 6.0))


def test_cubic(student):
    """In b = 3 * a, y = b**3 + b**2 with a = 2, b.grad is 120 and a.grad is 360."""
    (a,) = student.leaves(a=2.0)
    b = 3 * a
    y = b**3 + b**2
    y.backward()
    assert (y.data, b.grad, a.grad) == approx((252.0, 120.0, 360.0))


def test_negative_exponent(student):
    """In L = a**-1 with a = 2, a.grad is -0.25."""
    (a,) = student.leaves(a=2.0)
    L = a**-1
    L.backward()
    assert (L.data, a.grad) == approx((0.5, -0.25))


def test_root(student):
    """In L = a**0.5 with a = 4, a.grad is 0.25."""
    (a,) = student.leaves(a=4.0)
    L = a**0.5
    L.backward()
    assert (L.data, a.grad) == approx((2.0, 0.25))


def test_negative_base(student):
    """In L = a**3 + a with a = -1.5, a.grad is 7.75."""
    (a,) = student.leaves(a=-1.5)
    L = a**3 + a
    L.backward()
    assert (L.data, a.grad) == approx((-4.875, 7.75))
