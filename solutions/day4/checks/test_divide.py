"""/: one over the divisor for the dividend, minus dividend over divisor squared for the divisor."""

from pytest import approx


def test_random(student, rng):
    """Random leaves; the divisor is itself a quotient."""
    x, y, z = rng.uniform(1.5, 3), rng.uniform(-6, -4), rng.uniform(0.3, 0.8)
    a, b, c = student.leaves(a=x, b=y, c=z)
    q = b / c
    L = a / q
    L.backward()
    assert isinstance(L, student.Value)
    assert L.data == approx(x * z / y)
    assert (a.grad, b.grad, c.grad) == approx((z / y, -x * z / y**2, x / y))
    assert q.grad == approx(-x * z * z / y**2)


def test_value_by_itself(student, rng):
    """a / a is 1 and does not move."""
    (a,) = student.leaves(a=rng.uniform(2, 5))
    L = a / a
    L.backward()
    assert (L.data, a.grad) == approx((1.0, 0.0))


def test_dividend_of_both(student, rng):
    """One leaf is the dividend of two quotients."""
    x, y, z = rng.uniform(1.5, 3), rng.uniform(-6, -4), rng.uniform(0.3, 0.8)
    a, b, c = student.leaves(a=x, b=y, c=z)
    L = (a / b) / (c / (a / c))
    L.backward()
    assert (a.grad, b.grad, c.grad) == approx(
        (2 * x / (y * z * z), -x * x / (y * y * z * z), -2 * x * x / (y * z**3))
    )


def test_divisor_of_both(student, rng):
    """One leaf is the divisor of two quotients."""
    x, y = rng.uniform(1.5, 3), rng.uniform(-6, -4)
    a, b = student.leaves(a=x, b=y)
    L = (a / b) / b
    L.backward()
    assert (a.grad, b.grad) == approx((1 / y**2, -2 * x / y**3))


def test_one_over(student, rng):
    """1 / a at a negative value."""
    x = rng.uniform(-5, -2)
    (a,) = student.leaves(a=x)
    L = 1 / a
    L.backward()
    assert (L.data, a.grad) == approx((1 / x, -1 / x**2))


def test_numbers(student, rng):
    """Numbers on both sides, one inside the other."""
    x = rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    L = 1.5 / ((3 / a) / 7)
    L.backward()
    assert (L.data, a.grad) == approx((3.5 * x, 3.5))
