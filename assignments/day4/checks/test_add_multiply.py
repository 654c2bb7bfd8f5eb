"""+ and ×, with a number on either side: the two rules of day 2."""

from pytest import approx

from grader.autograd import hand_on


def test_sum(student):
    """In L = a + b both inputs get the upstream gradient, -4, added to the 10 that they hold."""
    a, b = student.leaves(a=1.5, b=-0.25)
    a.grad = b.grad = 10.0
    L = a + b
    hand_on(student, L, -4.0)
    assert L.data == approx(1.25)
    assert (a.grad, b.grad) == approx((6.0, 6.0))


def test_product(student):
    """In L = a * b each factor gets the other one times the upstream gradient, -4, added to the 10 that it holds."""
    a, b = student.leaves(a=1.5, b=-0.25)
    a.grad = b.grad = 10.0
    L = a * b
    hand_on(student, L, -4.0)
    assert L.data == approx(-0.375)
    assert (a.grad, b.grad) == approx((11.0, 4.0))


def test_both_sides(student):
    """In s + s with s = a + b, and in p * p with p = c * d, the same value stands on both sides and gets both contributions."""
    a, b, c, d = student.leaves(a=2.0, b=-3.0, c=2.0, d=-3.0)
    s, p = student.name(s=a + b, p=c * d)
    L = s + s
    hand_on(student, L, 0.5)
    M = p * p
    hand_on(student, M, 0.5)
    assert (L.data, M.data) == approx((-2.0, 36.0))
    assert (s.grad, a.grad, b.grad) == approx((1.0, 1.0, 1.0))
    assert (p.grad, c.grad, d.grad) == approx((-6.0, 18.0, -12.0))


def test_number_in_a_sum(student):
    """A number may stand on either side of +: a + 4 and 5 + b, with upstream gradients of 0.5 and -2."""
    a, b = student.leaves(a=2.0, b=-3.0)
    left = 5 + b
    hand_on(student, left, -2.0)
    right = a + 4
    hand_on(student, right, 0.5)
    assert (right.data, left.data) == approx((6.0, 2.0))
    assert (a.data, b.data) == approx((2.0, -3.0))
    assert (a.grad, b.grad) == approx((0.5, -2.0))


def test_number_in_a_product(student):
    """A number may stand on either side of ×: a * 4 and 5 * b, with upstream gradients of 0.5 and -2."""
    a, b = student.leaves(a=2.0, b=-3.0)
    left = 5 * b
    hand_on(student, left, -2.0)
    right = a * 4
    hand_on(student, right, 0.5)
    assert (right.data, left.data) == approx((8.0, -15.0))
    assert (a.grad, b.grad) == approx((2.0, -10.0))


def test_inner_zero(student):
    """In (a + b) + (c + d) with a + b = 0, and in (x * z) * (y * w) with z = 0, both inner results hand on."""
    a, b, c, d = student.leaves(a=2.5, b=-2.5, c=4.0, d=1.0)
    L = (a + b) + (c + d)
    hand_on(student, L, -4.0)
    assert L.data == approx(5.0)
    assert (a.grad, b.grad, c.grad, d.grad) == approx((-4.0, -4.0, -4.0, -4.0))
    x, z, y, w = student.leaves(x=2.0, z=0.0, y=-3.0, w=0.5)
    M = (x * z) * (y * w)
    hand_on(student, M, -4.0)
    assert M.data == approx(0.0)
    assert (x.grad, z.grad, y.grad, w.grad) == approx((0.0, 12.0, 0.0, 0.0))


def test_large(student):
    """With a = 500000, b = -4 and an upstream gradient of 2000, nothing of a + b and a * b is cut off."""
    a, b, c, d = student.leaves(a=500000.0, b=-4.0, c=500000.0, d=-4.0)
    L, M = a + b, c * d
    hand_on(student, L, 2000.0)
    hand_on(student, M, 2000.0)
    assert (L.data, M.data) == approx((499996.0, -2000000.0))
    assert (a.grad, b.grad) == approx((2000.0, 2000.0))
    assert (c.grad, d.grad) == approx((-8000.0, 1e9))
    assert (a.data, b.data, c.data, d.data) == (500000.0, -4.0, 500000.0, -4.0)
