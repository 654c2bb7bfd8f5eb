"""- and negation: the subtrahend's gradient has the opposite sign, and the sides stay where they are."""

from pytest import approx

from grader.autograd import hand_on


def test_difference(student):
    """In L = a - b, a gets the upstream gradient, -4, and b gets its opposite, each added to the 10 that is there."""
    a, b = student.leaves(a=5.5, b=3.25)
    a.grad = b.grad = 10.0
    L = a - b
    hand_on(student, L, -4.0)
    assert L.data == approx(2.25)
    assert (a.grad, b.grad) == approx((6.0, 14.0))


def test_difference_of_differences(student):
    """In L = (a - b) - (c - d) with a - b = 0, a and d get the upstream gradient, 0.5, b and c get -0.5."""
    a, b, c, d = student.leaves(a=3.0, b=3.0, c=-4.0, d=0.5)
    s, t = student.name(s=a - b, t=c - d)
    a.grad = b.grad = c.grad = d.grad = s.grad = t.grad = 0.0
    L = s - t
    hand_on(student, L, 0.5)
    assert L.data == approx(4.5)
    assert (a.grad, b.grad, c.grad, d.grad) == approx((0.5, -0.5, -0.5, 0.5))


def test_number_on_the_right(student):
    """A number on the right: a - 4.5 with an upstream gradient of -2."""
    (a,) = student.leaves(a=5.0)
    a.grad = 10.0
    L = a - 4.5
    hand_on(student, L, -2.0)
    assert (L.data, a.grad) == approx((0.5, 8.0))


def test_number_on_the_left(student):
    """A number on the left: 1 - a is not a - 1. The upstream gradient is -2."""
    (a,) = student.leaves(a=5.0)
    a.grad = 10.0
    L = 1 - a
    hand_on(student, L, -2.0)
    assert (L.data, a.grad) == approx((-4.0, 12.0))


def test_negation(student):
    """-a falls as fast as a grows, and -(-a) is a again. The upstream gradient is -2."""
    a, b = student.leaves(a=2.5, b=2.5)
    a.grad = b.grad = 10.0
    L = -a
    hand_on(student, L, -2.0)
    assert (L.data, a.grad) == approx((-2.5, 12.0))
    (n,) = student.name(n=-b)
    n.grad = 0.0
    M = -n
    hand_on(student, M, -2.0)
    assert (M.data, b.grad) == approx((2.5, 8.0))  # M may be b itself, which is not made of n


def test_large(student):
    """With a = 500000, b = -4 and an upstream gradient of 2000, nothing of a - b and -c is cut off."""
    a, b, c = student.leaves(a=500000.0, b=-4.0, c=500000.0)
    a.grad = b.grad = c.grad = 0.0
    L, M = a - b, -c
    hand_on(student, L, 2000.0)
    hand_on(student, M, 2000.0)
    assert (L.data, M.data) == approx((500004.0, -500000.0))
    assert (a.grad, b.grad, c.grad) == approx((2000.0, -2000.0, -2000.0))
    assert (a.data, b.data, c.data) == (500000.0, -4.0, 500000.0)
