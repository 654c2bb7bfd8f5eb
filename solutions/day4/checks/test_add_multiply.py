"""+ and ×, with a number on either side: the two rules of day 2."""

from pytest import approx

from grader.autograd import hand_on


def test_sums(student, rng):
    """Sums of sums: every leaf is counted as often as it is used."""
    a, b, c = student.leaves(a=rng.uniform(1, 3), b=rng.uniform(-6, -4), c=rng.uniform(0.1, 0.9))
    s = a + b
    t = c + s
    L = (t + s) + a
    hand_on(student, L, -1.5)
    assert (a.grad, b.grad, c.grad) == approx((-4.5, -3.0, -1.5))
    assert (s.grad, t.grad) == approx((-3.0, -1.5))


def test_products(student, rng):
    """Products of products: the other factors, and upstream."""
    x, y, z = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(0.1, 0.9)
    a, b, c = student.leaves(a=x, b=y, c=z)
    p = a * b
    L = c * p
    hand_on(student, L)
    assert isinstance(L, student.Value)
    assert L.data == approx(x * y * z)
    assert (a.grad, b.grad, c.grad, p.grad) == approx((y * z, x * z, x * y, z))


def test_one_value_twice(student, rng):
    """A value that is added to itself, and once more; and one that is multiplied by itself, and once more."""
    x = rng.uniform(2, 5)
    a, b = student.leaves(a=x, b=x)
    hand_on(student, a + (a + a), 0.5)
    hand_on(student, b * (b * b), 0.5)
    assert (a.grad, b.grad) == approx((1.5, 1.5 * x * x))


def test_equal_sums(student, rng):
    """Two sums of equal numbers are two results: each has inputs of its own."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b, c, d = student.leaves(a=x, b=y, c=x, d=y)
    first, second = a + b, c + d
    hand_on(student, first, -8.0)
    hand_on(student, second, 7.5)
    assert (a.grad, b.grad, c.grad, d.grad) == approx((-8.0, -8.0, 7.5, 7.5))


def test_equal_products(student, rng):
    """Two products of equal numbers are two results: each has inputs of its own."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b, c, d = student.leaves(a=x, b=y, c=x, d=y)
    first, second = a * b, c * d
    hand_on(student, first, -4.0)
    hand_on(student, second, 0.5)
    assert (a.grad, b.grad, c.grad, d.grad) == approx((-4 * y, -4 * x, y / 2, x / 2))


def test_again(student, rng):
    """The same sum and product, made again after a change of the data, are of the new data."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b = student.leaves(a=x, b=y)
    a + b, a * b
    a.data = 10.0
    new, product = a + b, a * b
    hand_on(student, new, -4.0)
    hand_on(student, product, 0.5)
    assert (new.data, product.data) == approx((10 + y, 10 * y))
    assert (a.grad, b.grad) == approx((-4 + y / 2, 1.0))


def test_numbers(student, rng):
    """Whole numbers and fractions on either side, one operation inside the other."""
    x = rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    L = -2.5 * (a * 3) * 2
    hand_on(student, L)
    assert (L.data, a.grad) == approx((-15 * x, -15.0))
    (b,) = student.leaves(b=x)
    L = -1.5 + ((b + 3) + 7.25)
    hand_on(student, L)
    assert (L.data, b.data, b.grad) == approx((x + 8.75, x, 1.0))


def test_one_value_in_two(student, rng):
    """A value in two sums and two products, on either side: each result hands on a gradient of its own."""
    x, y, z = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(0.1, 0.9)
    a, b, c = student.leaves(a=x, b=y, c=z)
    results = a + b, a + c, c + b, a * b, a * c, c * b
    for result, upstream in zip(results, (-4.0, 7.5, 0.5, 2.0, -8.0, 3.0), strict=True):
        hand_on(student, result, upstream)
    assert (a.grad, b.grad, c.grad) == approx((3.5 + 2 * y - 8 * z, -3.5 + 2 * x + 3 * z, 8 - 8 * x + 3 * y))
