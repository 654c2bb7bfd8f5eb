"""-, / and negation: values and slopes, with numbers on either side."""

from pytest import approx

from grader.autograd import value_and_slopes


def test_differences(student, rng):
    """Random values, and a value subtracted from itself."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b, c = student.leaves(a=x, b=y, c=x)
    L = (a - b) - (b - 7)
    assert value_and_slopes(student, L, a=a, b=b) == approx((x - 2 * y + 7, 1.0, -2.0))
    assert value_and_slopes(student, c - c, c=c) == approx((0.0, 0.0))


def test_number_minus(student, rng):
    """A number minus a value, twice."""
    x, k = rng.uniform(1, 3), rng.uniform(4, 6)
    (a,) = student.leaves(a=x)
    inner = k - a
    L = 1.5 - inner
    assert value_and_slopes(student, L, inner=inner) == approx((1.5 - k + x, -1.0))
    assert value_and_slopes(student, L, a=a) == approx((1.5 - k + x, 1.0))


def test_negatives(student, rng):
    """The negations of equal numbers, and of 0."""
    x = rng.uniform(1, 3)
    a, b, c = student.leaves(a=x, b=x, c=0.0)
    assert value_and_slopes(student, -a, a=a) == approx((-x, -1.0))
    assert value_and_slopes(student, -b, b=b) == approx((-x, -1.0))
    assert value_and_slopes(student, -c, c=c) == approx((0.0, -1.0))


def test_quotients(student, rng):
    """Random values, equal ones, and a value divided by itself."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b, c, d = student.leaves(a=x, b=y, c=x, d=y)
    L = (a / b) / (c / d)
    slopes = (1 / x, -1 / y, -1 / x, 1 / y)
    assert value_and_slopes(student, L, a=a, b=b, c=c, d=d) == approx((1.0, *slopes))
    assert value_and_slopes(student, (a / b) / b, a=a, b=b) == approx((x / y**2, 1 / y**2, -2 * x / y**3))
    assert value_and_slopes(student, c / c, c=c) == approx((1.0, 0.0), abs=1e-6)


def test_number_divided(student, rng):
    """A number divided by a value, twice, and 0 divided by one."""
    x, k = rng.uniform(1, 3), rng.uniform(4, 6)
    a, b = student.leaves(a=x, b=0.0)
    assert value_and_slopes(student, 3 / (k / a), a=a) == approx((3 * x / k, 3 / k))
    assert value_and_slopes(student, b / a, a=a, b=b) == approx((0.0, 0.0, 1 / x))


def test_together(student, rng):
    """A quotient of differences."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b = student.leaves(a=x, b=y)
    L = (a - b) / (1 - b)
    expected = ((x - y) / (1 - y), 1 / (1 - y), (x - 1) / (1 - y) ** 2)
    assert value_and_slopes(student, L, a=a, b=b) == approx(expected)
