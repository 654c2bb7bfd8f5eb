"""The slope of exp is its own value; it is multiplied by the upstream gradient."""

import math

from pytest import approx


def test_value_and_slope(student):
    """The exp of 0.5, whose slope is its value."""
    (a,) = student.leaves(a=0.5)
    L = a.exp()
    L.backward()
    y = math.exp(0.5)
    assert (L.data, a.grad) == approx((y, y))


def test_twice_in_a_row(student):
    """Through exp of exp the slopes multiply, since the inner one's upstream gradient is not 1."""
    (a,) = student.leaves(a=0.2)
    inner = a.exp()
    L = inner.exp()
    L.backward()
    y = math.exp(0.2)
    z = math.exp(y)
    assert (inner.data, L.data) == approx((y, z))
    assert inner.grad == approx(z)
    assert a.grad == approx(z * y)


def test_behind_a_product(student):
    """In L = exp(s) + exp(s) with s = 3 * a, both hand on to s, and s to a."""
    (a,) = student.leaves(a=0.5)
    s = 3 * a
    L = s.exp() + s.exp()
    L.backward()
    y = math.exp(1.5)
    assert L.data == approx(2 * y)
    assert (s.grad, a.grad) == approx((2 * y, 6 * y))


def test_beside_its_input(student):
    """In exp(a) + a the input collects both contributions."""
    (a,) = student.leaves(a=0.5)
    L = a.exp() + a
    L.backward()
    assert a.grad == approx(math.exp(0.5) + 1)
