"""+ and ×, with a number on either side: the two rules of day 2, and backward fills them in."""

from pytest import approx


def test_sum(student):
    """In L = s + s with s = a + b, s stands on both sides and gets both contributions."""
    a, b = student.leaves(a=2.0, b=-3.0)
    s = a + b
    L = s + s
    L.backward()
    assert L.data == approx(-2.0)
    assert (a.grad, b.grad) == approx((2.0, 2.0))


def test_product(student):
    """In L = (a * b) * c each factor gets the product of the other two."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    L = (a * b) * c
    L.backward()
    assert L.data == approx(-60.0)
    assert (a.grad, b.grad, c.grad) == approx((-30.0, 20.0, -6.0))


def test_square(student):
    """In L = a * a, a stands on both sides and gets both contributions."""
    (a,) = student.leaves(a=3.0)
    L = a * a
    L.backward()
    assert (L.data, a.grad) == approx((9.0, 6.0))


def test_number_in_a_sum(student):
    """A number may stand on either side of +: a + 4 and 5 + b."""
    a, b = student.leaves(a=2.0, b=-3.0)
    left = 5 + b
    left.backward()
    right = a + 4
    right.backward()
    assert (right.data, left.data) == approx((6.0, 2.0))
    assert (a.grad, b.grad) == approx((1.0, 1.0))


def test_number_in_a_product(student):
    """A number may stand on either side of ×: a * 4 and 5 * b."""
    a, b = student.leaves(a=2.0, b=-3.0)
    left = 5 * b
    left.backward()
    right = a * 4
    right.backward()
    assert (right.data, left.data) == approx((8.0, -15.0))
    assert (a.grad, b.grad) == approx((4.0, 5.0))


def test_fractions(student):
    """Fractions stay fractions: (a + b) * 0.5 + 2.75 at 1.5 and -0.25."""
    a, b = student.leaves(a=1.5, b=-0.25)
    s = a + b
    p = s * 0.5
    L = p + 2.75
    L.backward()
    assert (s.data, p.data, L.data) == approx((1.25, 0.625, 3.375))
    assert (a.grad, b.grad) == approx((0.5, 0.5))
