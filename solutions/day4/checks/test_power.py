"""** with a constant power: n times the value to the power of n - 1."""

import pytest
from pytest import approx

from grader.autograd import hand_on


@pytest.mark.parametrize("n", [1, 2, 4, -2, 1.5])
def test_random(student, rng, n):
    """A random positive value to several powers, with an upstream gradient of -1.5."""
    x = rng.uniform(1.5, 3)
    (a,) = student.leaves(a=x)
    a.grad = 10.0
    L = a**n
    hand_on(student, L, -1.5)
    assert isinstance(L, student.Value)
    assert (L.data, a.grad) == approx((x**n, 10 - 1.5 * n * x ** (n - 1)))


def test_negative_value(student, rng):
    """A negative value to an odd and to an even power."""
    x = rng.uniform(-3, -1.5)
    a, b = student.leaves(a=x, b=x)
    a.grad = b.grad = 0.0
    L, M = a**3, b**4
    hand_on(student, L)
    hand_on(student, M)
    assert (L.data, M.data) == approx((x**3, x**4))
    assert (a.grad, b.grad) == approx((3 * x * x, 4 * x**3))


def test_powers_in_a_row(student, rng):
    """Three powers in a row: the slopes multiply."""
    x = rng.uniform(1.5, 2)
    (a,) = student.leaves(a=x)
    b = a**2
    c = b**-1
    a.grad = b.grad = c.grad = 0.0
    L = c**3
    hand_on(student, L)
    assert (L.data, a.grad) == approx((x**-6, -6 * x**-7))


def test_equal_powers(student, rng):
    """Two powers of equal numbers are two results: each has an input of its own."""
    x = rng.uniform(1.5, 3)
    a, b = student.leaves(a=x, b=x)
    a.grad = b.grad = 10.0
    first, second = a**3, b**3
    hand_on(student, first, -4.0)
    hand_on(student, second, 0.5)
    assert (a.grad, b.grad) == approx((10 - 12 * x * x, 10 + 1.5 * x * x))


def test_far(student, rng):
    """Small and large numbers, 0, and exponents, with a large upstream gradient."""
    for number, n in (
        (rng.uniform(0.01, 0.1), -3),
        (rng.uniform(-900, -200), 2),
        (rng.uniform(200, 900), 1.5),
        (-1.5, 9),
        (0.0, 2),
    ):
        (a,) = student.leaves(a=number)
        a.grad = 0.0
        L = a**n
        hand_on(student, L, -400.0)
        assert (L.data, a.grad) == approx((number**n, -400 * n * number ** (n - 1)))


def test_one_value_in_two(student, rng):
    """Three powers of one value: each hands on a gradient of its own."""
    x = rng.uniform(1.5, 3)
    (a,) = student.leaves(a=x)
    a.grad = 10.0
    for power, upstream in zip((a**2, a**3, a**2), (-4.0, 7.5, 0.5), strict=True):
        hand_on(student, power, upstream)
    assert a.grad == approx(10 - 7 * x + 22.5 * x * x)
