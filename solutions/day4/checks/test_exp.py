"""The slope of exp is its own value; it is multiplied by the upstream gradient."""

import math

from pytest import approx


def test_random(student, rng):
    """A random value."""
    x = rng.uniform(-1.2, 0.4)
    (a,) = student.leaves(a=x)
    L = a.exp()
    L.backward()
    y = math.exp(x)
    assert isinstance(L, student.Value)
    assert (L.data, a.grad) == approx((y, y))


def test_three_in_a_row(student, rng):
    """Three in a row: the slopes multiply."""
    x = rng.uniform(-1.2, 0.4)
    (a,) = student.leaves(a=x)
    L = a.exp().exp().exp()
    L.backward()
    y = math.exp(x)
    z = math.exp(y)
    w = math.exp(z)
    assert L.data == approx(w)
    assert a.grad == approx(w * z * y)


def test_two_at_once(student, rng):
    """Two made before either is walked: each touches its own input only."""
    x = rng.uniform(-1.2, 0.4)
    a, b = student.leaves(a=x, b=x / 2)
    first, second = a.exp(), b.exp()
    second.backward()
    first.backward()
    y = math.exp(x)
    z = math.exp((x / 2))
    assert (a.grad, b.grad) == approx((y, z))


def test_upstream(student, rng):
    """3 * exp(a) * b: upstream is not 1."""
    x, u = rng.uniform(-1.2, 0.4), rng.uniform(-3, -2)
    a, b = student.leaves(a=x, b=u)
    L = 3 * a.exp() * b
    L.backward()
    y = math.exp(x)
    assert (a.grad, b.grad) == approx((3 * u * y, 3 * y))


def test_two_of_one(student, rng):
    """In exp(a) * exp(a) the input collects from both."""
    x = rng.uniform(-1.2, 0.4)
    (a,) = student.leaves(a=x)
    L = a.exp() * a.exp()
    L.backward()
    y = math.exp(x)
    assert a.grad == approx(2 * y * y)
