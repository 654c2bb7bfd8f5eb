"""The slope of tanh is 1 minus its own value squared; it is multiplied by the upstream gradient."""

import math

from pytest import approx


def test_value_and_slope(student):
    """The tanh of 0.5, whose slope is 1 minus its square."""
    (a,) = student.leaves(a=0.5)
    L = a.tanh()
    L.backward()
    y = math.tanh(0.5)
    assert (L.data, a.grad) == approx((y, (1 - y**2)))


def test_twice_in_a_row(student):
    """Through tanh of tanh the slopes multiply, since the inner one's upstream gradient is not 1."""
    (a,) = student.leaves(a=-0.8)
    inner = a.tanh()
    L = inner.tanh()
    L.backward()
    y = math.tanh(-0.8)
    z = math.tanh(y)
    assert (inner.data, L.data) == approx((y, z))
    assert inner.grad == approx(1 - z**2)
    assert a.grad == approx((1 - z**2) * (1 - y**2))


def test_beside_its_input(student):
    """In tanh(a) + a the input collects both contributions."""
    (a,) = student.leaves(a=0.5)
    L = a.tanh() + a
    L.backward()
    assert a.grad == approx((1 - math.tanh(0.5) ** 2) + 1)
