"""The slope of tanh is 1 minus its own value squared; it is multiplied by the upstream gradient."""

import math

from pytest import approx

from grader.autograd import hand_on


def test_random(student, rng):
    """A random value."""
    x = rng.uniform(-1.4, -0.6)
    (a,) = student.leaves(a=x)
    a.grad = 0.0
    L = a.tanh()
    hand_on(student, L)
    y = math.tanh(x)
    assert isinstance(L, student.Value)
    assert (L.data, a.grad) == approx((y, 1 - y**2))


def test_three_in_a_row(student, rng):
    """Three in a row: the slopes multiply."""
    x = rng.uniform(-1.4, -0.6)
    (a,) = student.leaves(a=x)
    b = a.tanh()
    c = b.tanh()
    a.grad = b.grad = c.grad = 0.0
    L = c.tanh()
    hand_on(student, L)
    y = math.tanh(x)
    z = math.tanh(y)
    w = math.tanh(z)
    assert L.data == approx(w)
    assert a.grad == approx((1 - w**2) * (1 - z**2) * (1 - y**2))


def test_two_at_once(student, rng):
    """Two of equal numbers, made before either hands on: each touches its own input only."""
    x = rng.uniform(-1.4, -0.6)
    a, b = student.leaves(a=x, b=x)
    a.grad = b.grad = 10.0
    first, second = a.tanh(), b.tanh()
    hand_on(student, second, -4.0)
    hand_on(student, first, 0.5)
    y = math.tanh(x)
    assert (a.grad, b.grad) == approx((10 + 0.5 * (1 - y**2), 10 - 4 * (1 - y**2)))


def test_upstream(student, rng):
    """Upstream gradients of both signs, one after the other."""
    x, u = rng.uniform(-1.4, -0.6), rng.uniform(-3, -2)
    (a,) = student.leaves(a=x)
    a.grad = 10.0
    L, M = a.tanh(), a.tanh()
    hand_on(student, L, u)
    hand_on(student, M, -3 * u)
    y = math.tanh(x)
    assert a.grad == approx(10 - 2 * u * (1 - y**2))


def test_at_zero(student):
    """In tanh(tanh(a)) and tanh(b) at 0 every slope is 1."""
    a, b = student.leaves(a=0.0, b=0.0)
    inner, M = a.tanh(), b.tanh()
    a.grad = b.grad = inner.grad = 0.0
    L = inner.tanh()
    hand_on(student, L, -8.0)
    hand_on(student, M, 7.5)
    assert (L.data, inner.grad, a.grad, b.grad) == approx((0.0, -8.0, -8.0, 7.5))


def test_far(student, rng):
    """Far from 0, on either side, with an upstream gradient of -4."""
    for number in (rng.uniform(-5, -2), rng.uniform(2, 5), rng.uniform(15, 40)):
        (a,) = student.leaves(a=number)
        a.grad = 0.0
        L = a.tanh()
        hand_on(student, L, -4.0)
        assert (L.data, a.grad) == approx((math.tanh(number), -4 * (1 - math.tanh(number) ** 2)))
