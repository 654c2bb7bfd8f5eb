"""-, / and negation: values and slopes, with numbers on either side."""

from pytest import approx

from grader.autograd import value_and_slopes


def test_differences(student, rng):
    """Random values, a value subtracted from itself, and 0."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b, c, d = student.leaves(a=x, b=y, c=x, d=0.0)
    L = (a - b) - (b - -7)
    assert value_and_slopes(student, L, a=a, b=b) == approx((x - 2 * y - 7, 1.0, -2.0))
    assert value_and_slopes(student, c - c, c=c) == approx((0.0, 0.0))
    assert value_and_slopes(student, d - c, c=c, d=d) == approx((-x, -1.0, 1.0))


def test_number_minus(student, rng):
    """A number minus a value, twice."""
    x, k = rng.uniform(1, 3), rng.uniform(4, 6)
    (a,) = student.leaves(a=x)
    inner = k - a
    L = -1.5 - inner
    assert value_and_slopes(student, L, inner=inner) == approx((-1.5 - k + x, -1.0))
    assert value_and_slopes(student, L, a=a) == approx((-1.5 - k + x, 1.0))


def test_negatives(student, rng):
    """The negations of equal numbers, and of 0."""
    x = rng.uniform(6, 9)
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
    x, k = rng.uniform(6, 9), rng.uniform(4, 6)
    a, b = student.leaves(a=x, b=0.0)
    assert value_and_slopes(student, -3 / (k / a), a=a) == approx((-3 * x / k, -3 / k))
    assert value_and_slopes(student, b / a, a=a, b=b) == approx((0.0, 0.0, 1 / x))
    assert value_and_slopes(student, a / -8, a=a) == approx((x / -8, -0.125))


def test_large_and_small(student, rng):
    """Quotients of a large number, and of small ones of either sign."""
    x, y, z = rng.uniform(-9, -6), rng.uniform(-0.15, -0.1), rng.uniform(0.1, 0.15)
    a, b, c = student.leaves(a=x, b=y, c=z)
    for top, n, bottom, d in ((a, x, b, y), (b, y, a, x), (a, x, c, z)):
        assert value_and_slopes(student, top / bottom, n=top, d=bottom) == approx((n / d, 1 / d, -n / d**2))


def test_inputs_stay(student, rng):
    """The operations do not change the data of the inputs, nor their gradients."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b = student.leaves(a=x, b=y)
    a.grad, b.grad = 7.0, 8.0
    assert ((a - b).data, (a / b).data, (-a).data) == approx((x - y, x / y, -x))
    assert (a.data, b.data) == approx((x, y))
    assert (a.grad, b.grad) == approx((7.0, 8.0))
