"""+ and ×: values and slopes, with numbers on either side."""

from pytest import approx

from grader.autograd import value_and_slopes


def test_sums(student, rng):
    """A sum of three, at random values; the third one is 0."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b, c = student.leaves(a=x, b=y, c=0.0)
    L = a + (b + c)
    assert value_and_slopes(student, L, a=a, b=b, c=c) == approx((x + y, 1.0, 1.0, 1.0))


def test_products(student, rng):
    """A product of three, at random values, and a product with 0."""
    x, y, z = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(7, 9)
    a, b, c, d = student.leaves(a=x, b=y, c=z, d=0.0)
    L, M = a * (b * c), d * a
    assert value_and_slopes(student, L, a=a, b=b, c=c) == approx((x * y * z, y * z, x * z, x * y))
    assert value_and_slopes(student, M, a=a, d=d) == approx((0.0, 0.0, x))


def test_together(student, rng):
    """A product of sums: the slope for every leaf is the other sum."""
    w, x, y, z = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(7, 9), rng.uniform(0.1, 0.9)
    a, b, c, d = student.leaves(a=w, b=x, c=y, d=z)
    L = (a + b) * (c + d)
    slopes = (y + z, y + z, w + x, w + x)
    assert value_and_slopes(student, L, a=a, b=b, c=c, d=d) == approx(((w + x) * (y + z), *slopes))


def test_integers(student, rng):
    """Leaves that hold an int, and ints and floats beside them."""
    x, y = rng.randint(2, 5), rng.randint(-9, -6)
    a, b = student.leaves(a=x, b=y)
    L = -3 + (-2 * a * b + 0.5 * b)
    assert value_and_slopes(student, L, a=a, b=b) == approx((-2 * x * y + 0.5 * y - 3, -2 * y, 0.5 - 2 * x))


def test_inputs_stay(student, rng):
    """The operations do not change the data of the inputs, nor their gradients."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b = student.leaves(a=x, b=y)
    a.grad, b.grad = 7.0, 8.0
    p = a * b
    L = p + a
    assert value_and_slopes(student, L, a=a, b=b) == approx((x * y + x, y + 1, x))
    assert (a.data, b.data, p.data) == approx((x, y, x * y))
    assert (a.grad, b.grad) == approx((7.0, 8.0))
