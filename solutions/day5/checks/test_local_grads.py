"""Every node keeps its children, and a local gradient for each of them."""

import math

from pytest import approx

from grader.autograd import kept_slopes


def test_sums_and_products(student, rng):
    """+ and × at random values, with numbers too."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b = student.leaves(a=x, b=y)
    assert kept_slopes(b + a, a=a, b=b) == approx([1.0, 1.0])
    assert kept_slopes(b * a, a=a, b=b) == approx([y, x])
    assert kept_slopes(7 + a, a=a) == approx([1.0])
    assert kept_slopes(b * 7, b=b) == approx([7.0])


def test_used_twice(student, rng):
    """a + a and a * a keep a twice."""
    x = rng.uniform(1.5, 4)
    (a,) = student.leaves(a=x)
    assert kept_slopes(a + a, a=a) == approx([2.0])
    assert kept_slopes(a * a, a=a) == approx([2 * x])


def test_differences(student, rng):
    """-, with a number on either side, and the sign."""
    a, b = student.leaves(a=rng.uniform(1, 3), b=rng.uniform(-6, -4))
    assert kept_slopes(b - a, a=a, b=b) == approx([-1.0, 1.0])
    assert kept_slopes(a - 2, a=a) == approx([1.0])
    assert kept_slopes(2 - b, b=b) == approx([-1.0])
    assert kept_slopes(-b, b=b) == approx([-1.0])


def test_quotients(student, rng):
    """/, with a number on either side."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b = student.leaves(a=x, b=y)
    assert kept_slopes(b / a, a=a, b=b) == approx([-y / x**2, 1 / x])
    assert kept_slopes(a / 4, a=a) == approx([0.25])
    assert kept_slopes(3 / b, b=b) == approx([-3 / y**2])


def test_powers(student, rng):
    """Exponents that are whole, negative and fractions."""
    x = rng.uniform(1.5, 3)
    (a,) = student.leaves(a=x)
    assert kept_slopes(a**4, a=a) == approx([4 * x**3])
    assert kept_slopes(a**-2, a=a) == approx([-2 * x**-3])
    assert kept_slopes(a**0.5, a=a) == approx([0.5 * x**-0.5])


def test_one_input(student, rng):
    """exp, tanh and relu at random values of either sign."""
    x, y, z = rng.uniform(0.3, 1.5), rng.uniform(-1.5, -0.3), rng.uniform(20, 90)
    a, b, c = student.leaves(a=x, b=y, c=z)
    assert kept_slopes(a.exp(), a=a) == approx([math.exp(x)])
    assert kept_slopes(b.exp(), b=b) == approx([math.exp(y)])
    assert kept_slopes(a.tanh(), a=a) == approx([1 - math.tanh(x) ** 2])
    assert kept_slopes(b.tanh(), b=b) == approx([1 - math.tanh(y) ** 2])
    assert kept_slopes(a.relu(), a=a) == approx([1.0])
    assert kept_slopes(b.relu(), b=b) == approx([0.0])
    assert kept_slopes(c.relu(), c=c) == approx([1.0])
