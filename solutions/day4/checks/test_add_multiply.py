"""+ and ×, with a number on either side: the two rules of day 2, and backward fills them in."""

from pytest import approx


def test_sums(student, rng):
    """Sums of sums: every leaf is counted as often as it is used."""
    a, b, c = student.leaves(a=rng.uniform(1, 3), b=rng.uniform(-6, -4), c=rng.uniform(0.1, 0.9))
    s = a + b
    t = c + s
    L = (t + s) + a
    L.backward()
    assert (a.grad, b.grad, c.grad) == approx((3.0, 2.0, 1.0))
    assert (s.grad, t.grad) == approx((2.0, 1.0))


def test_products(student, rng):
    """Products of products: the other factors, and upstream."""
    x, y, z = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(0.1, 0.9)
    a, b, c = student.leaves(a=x, b=y, c=z)
    p = a * b
    L = c * p
    L.backward()
    assert isinstance(L, student.Value)
    assert L.data == approx(x * y * z)
    assert (a.grad, b.grad, c.grad, p.grad) == approx((y * z, x * z, x * y, z))


def test_one_value_twice_in_a_sum(student, rng):
    """A value that is added to itself, and once more."""
    (a,) = student.leaves(a=rng.uniform(2, 5))
    L = a + (a + a)
    L.backward()
    assert a.grad == approx(3.0)


def test_one_value_twice_in_a_product(student, rng):
    """A value that is multiplied by itself, and once more."""
    x = rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    L = a * (a * a)
    L.backward()
    assert a.grad == approx(3 * x * x)


def test_left_and_right(student, rng):
    """One leaf on the left of one sum and on the right of another."""
    a, b, c = student.leaves(a=rng.uniform(1, 3), b=rng.uniform(4, 6), c=rng.uniform(-3, -1))
    L = (a + b) + (c + a)
    L.backward()
    assert (a.grad, b.grad, c.grad) == approx((2.0, 1.0, 1.0))


def test_factor_left_and_right(student, rng):
    """One leaf on the left of one product and on the right of another."""
    x, y, z = rng.uniform(1, 3), rng.uniform(4, 6), rng.uniform(-3, -1)
    a, b, c = student.leaves(a=x, b=y, c=z)
    L = (a * b) * (c * a)
    L.backward()
    assert (a.grad, b.grad, c.grad) == approx((2 * x * y * z, x * x * z, x * x * y))


def test_numbers(student, rng):
    """Whole numbers and fractions on either side, inside one graph."""
    x = rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    L = -2.5 * (a * 3) * 2
    L.backward()
    assert (L.data, a.grad) == approx((-15 * x, -15.0))
    (b,) = student.leaves(b=x)
    L = 1.5 + ((b + 3) + 7.25)
    L.backward()
    assert (L.data, b.grad) == approx((x + 11.75, 1.0))
