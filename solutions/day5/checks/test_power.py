"""Powers with a constant exponent: whole, negative, fractions."""

from pytest import approx

from grader.autograd import value_and_slopes


def test_power_of_power(student, rng):
    """(a**3)**2 at a random value."""
    x = rng.uniform(1.1, 1.6)
    (a,) = student.leaves(a=x)
    L = (a**3) ** 2
    assert value_and_slopes(student, L, a=a) == approx((x**6, 6 * x**5))


def test_negative_base(student, rng):
    """a**4 and a**5 at a negative value."""
    x = rng.uniform(-2, -1.6)
    (a,) = student.leaves(a=x)
    assert value_and_slopes(student, a**4, a=a) == approx((x**4, 4 * x**3))
    assert value_and_slopes(student, a**5, a=a) == approx((x**5, 5 * x**4))


def test_exponents(student, rng):
    """Exponents -2, -0.5, 1.5, 1 and 0, and one of them again at an equal number."""
    x = rng.uniform(1.5, 3)
    a, b = student.leaves(a=x, b=x)
    slopes = {-2: -2 * x**-3, -0.5: -0.5 * x**-1.5, 1.5: 1.5 * x**0.5, 1: 1.0, 0: 0.0}
    for exponent, slope in slopes.items():
        assert value_and_slopes(student, a**exponent, a=a) == approx((x**exponent, slope))
    assert value_and_slopes(student, b**1.5, b=b) == approx((x**1.5, slopes[1.5]))


def test_far(student, rng):
    """Small and large numbers and exponents."""
    for number, n in (
        (rng.uniform(0.01, 0.1), -3),
        (rng.uniform(-900, -200), 2),
        (rng.uniform(200, 900), 1.5),
        (-1.5, 9),
    ):
        (a,) = student.leaves(a=number)
        assert value_and_slopes(student, a**n, a=a) == approx((number**n, n * number ** (n - 1)))


def test_input_stays(student, rng):
    """A power does not change the data of its input, nor its gradient."""
    x = rng.uniform(1.5, 3)
    (a,) = student.leaves(a=x)
    a.grad = 7.0
    assert ((a**3).data, a.data, a.grad) == approx((x**3, x, 7.0))
