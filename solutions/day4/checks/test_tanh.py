"""The slope of tanh is 1 minus its own value squared; it is multiplied by the upstream gradient."""

import math

from pytest import approx


def test_random(student, rng):
    """A random value."""
    x = rng.uniform(-1.4, -0.6)
    (a,) = student.leaves(a=x)
    L = a.tanh()
    L.backward()
    y = math.tanh(x)
    assert isinstance(L, student.Value)
    assert (L.data, a.grad) == approx((y, (1 - y**2)))


def test_three_in_a_row(student, rng):
    """Three in a row: the slopes multiply."""
    x = rng.uniform(-1.4, -0.6)
    (a,) = student.leaves(a=x)
    L = a.tanh().tanh().tanh()
    L.backward()
    y = math.tanh(x)
    z = math.tanh(y)
    w = math.tanh(z)
    assert L.data == approx(w)
    assert a.grad == approx((1 - w**2) * (1 - z**2) * (1 - y**2))


def test_two_at_once(student, rng):
    """Two made before either is walked: each touches its own input only."""
    x = rng.uniform(-1.4, -0.6)
    a, b = student.leaves(a=x, b=x / 2)
    first, second = a.tanh(), b.tanh()
    second.backward()
    first.backward()
    y = math.tanh(x)
    z = math.tanh((x / 2))
    assert (a.grad, b.grad) == approx(((1 - y**2), (1 - z**2)))


def test_upstream(student, rng):
    """3 * tanh(a) * b: upstream is not 1."""
    x, u = rng.uniform(-1.4, -0.6), rng.uniform(-3, -2)
    a, b = student.leaves(a=x, b=u)
    L = 3 * a.tanh() * b
    L.backward()
    y = math.tanh(x)
    assert (a.grad, b.grad) == approx((3 * u * (1 - y**2), 3 * y))


def test_two_of_one(student, rng):
    """In tanh(a) * tanh(a) the input collects from both."""
    x = rng.uniform(-1.4, -0.6)
    (a,) = student.leaves(a=x)
    L = a.tanh() * a.tanh()
    L.backward()
    y = math.tanh(x)
    assert a.grad == approx(2 * y * (1 - y**2))
