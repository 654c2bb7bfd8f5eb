"""/: one over the divisor for the dividend, minus dividend over divisor squared for the divisor."""

from pytest import approx

from grader.autograd import hand_on


def test_quotient(student):
    """In L = a / b at 6 and 2, a gets 1/2 and b gets -6/4, times an upstream gradient of -4, added to the 10 that is there."""
    a, b = student.leaves(a=6.0, b=2.0)
    a.grad = b.grad = 10.0
    L = a / b
    hand_on(student, L, -4.0)
    assert L.data == approx(3.0)
    assert (a.grad, b.grad) == approx((8.0, 16.0))


def test_quotient_of_a_quotient(student):
    """In L = (a / b) / c the upstream gradient of the inner quotient is 1 / c."""
    a, b, c = student.leaves(a=12.0, b=2.0, c=-3.0)
    (q,) = student.name(q=a / b)
    a.grad = b.grad = c.grad = q.grad = 0.0
    L = q / c
    hand_on(student, L)
    assert L.data == approx(-2.0)
    assert (a.grad, b.grad, c.grad) == approx((-1 / 6, 1.0, -2 / 3))


def test_quotient_by_a_quotient(student):
    """In L = a / (b / c) the divisor is a result: b and c get their gradients through it."""
    a, b, c = student.leaves(a=6.0, b=2.0, c=-4.0)
    (q,) = student.name(q=b / c)
    a.grad = b.grad = c.grad = q.grad = 0.0
    L = a / q
    hand_on(student, L, 0.5)
    assert L.data == approx(-12.0)
    assert (a.grad, b.grad, c.grad) == approx((-1.0, 3.0, 1.5))


def test_number_on_the_right(student):
    """A whole number on the right, a / 4, and a fraction, b / 0.5, with upstream gradients of -2 and 1."""
    a, b = student.leaves(a=5.0, b=1.5)
    a.grad = b.grad = 10.0
    L = a / 4
    M = b / 0.5
    hand_on(student, L, -2.0)
    hand_on(student, M)
    assert (L.data, a.grad) == approx((1.25, 9.5))
    assert (M.data, b.grad) == approx((3.0, 12.0))


def test_number_on_the_left(student):
    """A number on the left: 10 / a is not a / 10. The upstream gradient is -2."""
    (a,) = student.leaves(a=4.0)
    a.grad = 10.0
    L = 10 / a
    hand_on(student, L, -2.0)
    assert (L.data, a.grad) == approx((2.5, 11.25))


def test_large(student):
    """In L = a / b with a = 3000, b = 0.004 and an upstream gradient of 2000, nothing is cut off."""
    a, b = student.leaves(a=3000.0, b=0.004)
    a.grad = b.grad = 0.0
    L = a / b
    hand_on(student, L, 2000.0)
    assert L.data == approx(750000.0)
    assert (a.grad, b.grad) == approx((500000.0, -3.75e11))
    assert (a.data, b.data) == approx((3000.0, 0.004))
