"""+ and ×: values and gradients, with numbers on either side."""

from pytest import approx


def test_sums(student, rng):
    """A sum of three, at random values."""
    x, y, z = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(7, 9)
    a, b, c = student.leaves(a=x, b=y, c=z)
    inner = b + c
    L = a + inner
    L.backward()
    assert isinstance(L, student.Value)
    assert L.data == approx(x + y + z)
    assert (a.grad, b.grad, c.grad, inner.grad) == approx((1.0, 1.0, 1.0, 1.0))


def test_products(student, rng):
    """A product of three, at random values."""
    x, y, z = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(7, 9)
    a, b, c = student.leaves(a=x, b=y, c=z)
    inner = b * c
    L = a * inner
    L.backward()
    assert isinstance(L, student.Value)
    assert L.data == approx(x * y * z)
    assert (a.grad, b.grad, c.grad, inner.grad) == approx((y * z, x * z, x * y, x))


def test_together(student, rng):
    """A product of sums: every leaf gets the other sum."""
    w, x, y, z = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(7, 9), rng.uniform(0.1, 0.9)
    a, b, c, d = student.leaves(a=w, b=x, c=y, d=z)
    L = (a + b) * (c + d)
    L.backward()
    assert L.data == approx((w + x) * (y + z))
    assert (a.grad, b.grad, c.grad, d.grad) == approx((y + z, y + z, w + x, w + x))


def test_integers(student, rng):
    """Leaves that hold an int, and ints and floats beside them."""
    x, y = rng.randint(2, 5), rng.randint(-9, -6)
    a, b = student.leaves(a=x, b=y)
    L = 2 * a * b + 0.5 * b + 1
    L.backward()
    assert L.data == approx(2 * x * y + 0.5 * y + 1)
    assert (a.grad, b.grad) == approx((2 * y, 2 * x + 0.5))


def test_inputs_stay(student, rng):
    """Neither the operations nor backward change the data of the inputs."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b = student.leaves(a=x, b=y)
    p = a * b
    L = p + a
    L.backward()
    assert (a.data, b.data, p.data, L.data) == approx((x, y, x * y, x * y + x))
    assert (a.grad, b.grad) == approx((y + 1, x))
