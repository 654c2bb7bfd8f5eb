"""** with a constant power: n times the value to the power of n - 1."""

import pytest
from pytest import approx


@pytest.mark.parametrize("n", [1, 2, 4, -2, 1.5])
def test_random(student, rng, n):
    """A random positive value to several powers."""
    x = rng.uniform(1.5, 3)
    (a,) = student.leaves(a=x)
    L = a**n
    L.backward()
    assert isinstance(L, student.Value)
    assert (L.data, a.grad) == approx((x**n, n * x ** (n - 1)))


def test_negative_value(student, rng):
    """A negative value to an odd and to an even power."""
    x = rng.uniform(-3, -1.5)
    a, b = student.leaves(a=x, b=x)
    L, M = a**3, b**4
    L.backward()
    M.backward()
    assert (L.data, M.data) == approx((x**3, x**4))
    assert (a.grad, b.grad) == approx((3 * x * x, 4 * x**3))


def test_powers_in_a_row(student, rng):
    """Three powers in a row: the slopes multiply."""
    x = rng.uniform(1.5, 2)
    (a,) = student.leaves(a=x)
    L = ((a**2) ** -1) ** 3
    L.backward()
    assert (L.data, a.grad) == approx((x**-6, -6 * x**-7))


def test_beside_its_input(student, rng):
    """a ** 3 + a: the input collects both."""
    x = rng.uniform(1.5, 3)
    (a,) = student.leaves(a=x)
    L = a**3 + a
    L.backward()
    assert a.grad == approx(3 * x * x + 1)
