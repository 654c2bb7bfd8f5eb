"""The slope of tanh is 1 minus its own value squared; it is multiplied by the upstream gradient."""

import math

from pytest import approx

from grader.autograd import hand_on


def test_value_and_slope(student):
    """The tanh of 0.5, whose slope is 1 minus its square."""
    (a,) = student.leaves(a=0.5)
    a.grad = 0.0
    L = a.tanh()
    hand_on(student, L)
    y = math.tanh(0.5)
    assert (L.data, a.grad) == approx((y, (1 - y**2)))


def test_twice_in_a_row(student):
    """Through tanh of tanh the slopes multiply, since the inner one's upstream gradient is not 1."""
    (a,) = student.leaves(a=-0.8)
    inner = a.tanh()
    a.grad = inner.grad = 0.0
    L = inner.tanh()
    hand_on(student, L)
    y = math.tanh(-0.8)
    z = math.tanh(y)
    assert (inner.data, L.data) == approx((y, z))
    assert inner.grad == approx(1 - z**2)
    assert a.grad == approx((1 - z**2) * (1 - y**2))


def test_added(student):
    """With upstream gradients of -4 and 0.5, tanh(a) and tanh(b) add their contributions to the 10 that a and b hold."""
    a, b = student.leaves(a=0.5, b=-1.5)
    a.grad = b.grad = 10.0
    L, M = a.tanh(), b.tanh()
    hand_on(student, L, -4.0)
    hand_on(student, M, 0.5)
    first, second = 1 - math.tanh(0.5) ** 2, 1 - math.tanh(-1.5) ** 2
    assert (a.grad, b.grad) == approx((10 - 4 * first, 10 + 0.5 * second))


def test_far(student):
    """At -30, -8, -0.01, 0.01, 4 and 20 the same rule holds. The upstream gradient is 4."""
    for number in (-30.0, -8.0, -0.01, 0.01, 4.0, 20.0):
        (a,) = student.leaves(a=number)
        a.grad = 0.0
        L = a.tanh()
        hand_on(student, L, 4.0)
        assert (L.data, a.grad) == approx((math.tanh(number), 4 * (1 - math.tanh(number) ** 2)))
        assert a.data == approx(number)
