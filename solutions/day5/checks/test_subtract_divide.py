"""-, / and negation: values and gradients, with numbers on either side."""

from pytest import approx


def test_differences(student, rng):
    """Random values, and a value subtracted from itself."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b, c = student.leaves(a=x, b=y, c=x)
    L = (a - b) - (b - 7)
    L.backward()
    none = c - c
    none.backward()
    assert isinstance(L, student.Value)
    assert (L.data, none.data) == approx((x - 2 * y + 7, 0.0))
    assert (a.grad, b.grad, c.grad) == approx((1.0, -2.0, 0.0))


def test_number_minus(student, rng):
    """A number minus a value, twice."""
    x, k = rng.uniform(1, 3), rng.uniform(4, 6)
    (a,) = student.leaves(a=x)
    inner = k - a
    L = 1.5 - inner
    L.backward()
    assert (L.data, inner.grad, a.grad) == approx((1.5 - k + x, -1.0, 1.0))


def test_negatives(student, rng):
    """-a beside a, with an upstream gradient."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b = student.leaves(a=x, b=y)
    L = -(a * b) * b
    L.backward()
    assert L.data == approx(-x * y * y)
    assert (a.grad, b.grad) == approx((-y * y, -2 * x * y))


def test_quotients(student, rng):
    """Random values, and a value divided by itself."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b, c = student.leaves(a=x, b=y, c=x)
    L = (a / b) / b
    L.backward()
    one = c / c
    one.backward()
    assert isinstance(L, student.Value)
    assert (L.data, one.data) == approx((x / y**2, 1.0))
    assert (a.grad, b.grad, c.grad) == approx((1 / y**2, -2 * x / y**3, 0.0))


def test_number_divided(student, rng):
    """A number divided by a value, with an upstream gradient and a second use."""
    x, k = rng.uniform(1, 3), rng.uniform(4, 6)
    (a,) = student.leaves(a=x)
    L = 3 * (k / a) + a
    L.backward()
    assert L.data == approx(3 * k / x + x)
    assert a.grad == approx(1 - 3 * k / x**2)


def test_together(student, rng):
    """A quotient of differences."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b = student.leaves(a=x, b=y)
    L = (a - b) / (1 - b)
    L.backward()
    assert L.data == approx((x - y) / (1 - y))
    assert (a.grad, b.grad) == approx((1 / (1 - y), (x - 1) / (1 - y) ** 2))
