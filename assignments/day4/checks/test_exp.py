"""The slope of exp is its own value; it is multiplied by the upstream gradient."""

import math

from pytest import approx

from grader.autograd import hand_on


def test_value_and_slope(student):
    """The exp of 0.5, whose slope is its value."""
    (a,) = student.leaves(a=0.5)
    a.grad = 0.0
    L = a.exp()
    hand_on(student, L)
    y = math.exp(0.5)
    assert (L.data, a.grad) == approx((y, y))


def test_twice_in_a_row(student):
    """Through exp of exp the slopes multiply, since the inner one's upstream gradient is not 1."""
    (a,) = student.leaves(a=0.2)
    inner = a.exp()
    a.grad = inner.grad = 0.0
    L = inner.exp()
    hand_on(student, L)
    y = math.exp(0.2)
    z = math.exp(y)
    assert (inner.data, L.data) == approx((y, z))
    assert inner.grad == approx(z)
    assert a.grad == approx(z * y)


def test_added(student):
    """With upstream gradients of -4 and 0.5, exp(a) and exp(b) add their contributions to the 10 that a and b hold."""
    a, b = student.leaves(a=0.5, b=-1.5)
    a.grad = b.grad = 10.0
    L, M = a.exp(), b.exp()
    hand_on(student, L, -4.0)
    hand_on(student, M, 0.5)
    assert (a.grad, b.grad) == approx((10 - 4 * math.exp(0.5), 10 + 0.5 * math.exp(-1.5)))


def test_far(student):
    """At -30, -8, -0.01, 4, 9 and 20 the same rule holds. The upstream gradient is 1000."""
    for number in (-30.0, -8.0, -0.01, 4.0, 9.0, 20.0):
        (a,) = student.leaves(a=number)
        a.grad = 0.0
        L = a.exp()
        hand_on(student, L, 1000.0)
        assert (L.data, a.grad) == approx((math.exp(number), 1000 * math.exp(number)))
        assert a.data == approx(number)
