"""/: one over the divisor for the dividend, minus dividend over divisor squared for the divisor."""

from pytest import approx

from grader.autograd import hand_on


def test_random(student, rng):
    """Random leaves; the divisor is itself a quotient."""
    x, y, z = rng.uniform(1.5, 3), rng.uniform(-6, -4), rng.uniform(0.3, 0.8)
    a, b, c = student.leaves(a=x, b=y, c=z)
    q = b / c
    a.grad = b.grad = c.grad = q.grad = 0.0
    L = a / q
    hand_on(student, L)
    assert isinstance(L, student.Value)
    assert L.data == approx(x * z / y)
    assert (a.grad, b.grad, c.grad) == approx((z / y, -x * z / y**2, x / y))
    assert q.grad == approx(-x * z * z / y**2)


def test_one(student, rng):
    """a / a is 1 and does not move; 1 / b at a negative value."""
    x = rng.uniform(-5, -2)
    a, b = student.leaves(a=-x, b=x)
    a.grad = b.grad = 10.0
    L, M = a / a, 1 / b
    hand_on(student, L, 40.0)
    hand_on(student, M)
    assert (L.data, M.data) == approx((1.0, 1 / x))
    assert (a.grad, b.grad) == approx((10.0, 10 - 1 / x**2))


def test_equal_quotients(student, rng):
    """Two quotients of equal numbers are two results: each has inputs of its own."""
    x, y = rng.uniform(1.5, 3), rng.uniform(-6, -4)
    a, b, c, d = student.leaves(a=x, b=y, c=x, d=y)
    a.grad = b.grad = c.grad = d.grad = 10.0
    first, second = a / b, c / d
    hand_on(student, first, -4.0)
    hand_on(student, second, 0.5)
    assert (a.grad, b.grad) == approx((10 - 4 / y, 10 + 4 * x / y**2))
    assert (c.grad, d.grad) == approx((10 + 0.5 / y, 10 - 0.5 * x / y**2))


def test_quotients_of_zero(student, rng):
    """(z / a) / (b / c) at z = 0: the inner quotient of 0 hands on like any other."""
    x, y, w = rng.uniform(1.5, 3), rng.uniform(-6, -4), rng.uniform(0.3, 0.8)
    z, a, b, c = student.leaves(z=0.0, a=x, b=y, c=w)
    p, q = z / a, b / c
    z.grad = a.grad = b.grad = c.grad = p.grad = q.grad = 0.0
    L = p / q
    hand_on(student, L, -1.5)
    assert L.data == approx(0.0)
    assert (z.grad, a.grad, b.grad, c.grad) == approx((-1.5 * w / (x * y), 0.0, 0.0, 0.0))


def test_numbers(student, rng):
    """Numbers on both sides, one inside the other."""
    x = rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    b = 3 / a
    c = b / -7
    a.grad = b.grad = c.grad = 0.0
    L = -1.5 / c
    hand_on(student, L)
    assert (L.data, a.grad) == approx((3.5 * x, 3.5))


def test_one_value_in_two(student, rng):
    """A value in two quotients, on either side: each result hands on a gradient of its own."""
    x, y, z = rng.uniform(1.5, 3), rng.uniform(-6, -4), rng.uniform(0.3, 0.8)
    a, b, c = student.leaves(a=x, b=y, c=z)
    a.grad = b.grad = c.grad = 10.0
    results = a / b, a / c, c / b
    for result, upstream in zip(results, (-4.0, 7.5, 0.5), strict=True):
        hand_on(student, result, upstream)
    assert (a.grad, c.grad) == approx((10 - 4 / y + 7.5 / z, 10 - 7.5 * x / z**2 + 0.5 / y))
    assert b.grad == approx(10 + (4 * x - 0.5 * z) / y**2)
