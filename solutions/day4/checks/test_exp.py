"""The slope of exp is its own value; it is multiplied by the upstream gradient."""

import math

from pytest import approx

from grader.autograd import hand_on


def test_random(student, rng):
    """A random value."""
    x = rng.uniform(-1.2, 0.4)
    (a,) = student.leaves(a=x)
    a.grad = 0.0
    L = a.exp()
    hand_on(student, L)
    y = math.exp(x)
    assert isinstance(L, student.Value)
    assert (L.data, a.grad) == approx((y, y))


def test_three_in_a_row(student, rng):
    """Three in a row: the slopes multiply."""
    x = rng.uniform(-1.2, 0.4)
    (a,) = student.leaves(a=x)
    b = a.exp()
    c = b.exp()
    a.grad = b.grad = c.grad = 0.0
    L = c.exp()
    hand_on(student, L)
    y = math.exp(x)
    z = math.exp(y)
    w = math.exp(z)
    assert L.data == approx(w)
    assert a.grad == approx(w * z * y)


def test_two_at_once(student, rng):
    """Two of equal numbers, made before either hands on: each touches its own input only."""
    x = rng.uniform(-1.2, 0.4)
    a, b = student.leaves(a=x, b=x)
    a.grad = b.grad = 10.0
    first, second = a.exp(), b.exp()
    hand_on(student, second, -4.0)
    hand_on(student, first, 0.5)
    y = math.exp(x)
    assert (a.grad, b.grad) == approx((10 + 0.5 * y, 10 - 4 * y))


def test_upstream(student, rng):
    """Upstream gradients of both signs, one after the other."""
    x, u = rng.uniform(-1.2, 0.4), rng.uniform(-3, -2)
    (a,) = student.leaves(a=x)
    a.grad = 10.0
    L, M = a.exp(), a.exp()
    hand_on(student, L, u)
    hand_on(student, M, -3 * u)
    y = math.exp(x)
    assert a.grad == approx(10 - 2 * u * y)


def test_far(student, rng):
    """Far from 0, on either side, with a large upstream gradient."""
    for number in (rng.uniform(-14, -10), rng.uniform(2, 8), rng.uniform(30, 80)):
        (a,) = student.leaves(a=number)
        a.grad = 0.0
        L = a.exp()
        hand_on(student, L, -400.0)
        assert (L.data, a.grad) == approx((math.exp(number), -400 * math.exp(number)))
