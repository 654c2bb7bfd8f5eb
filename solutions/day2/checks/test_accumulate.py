"""+= and not =: a value that is used twice collects both contributions."""

from pytest import approx


def test_three_times(student, rng):
    """(a + a) + a, at a random value and upstream gradient."""
    g = rng.uniform(1, 4)
    (a,) = student.leaves(a=rng.uniform(1, 5))
    twice = a + a
    L = twice + a
    L.grad = g
    L._backward()
    twice._backward()
    assert a.grad == approx(3 * g)


def test_cube(student, rng):
    """(a * a) * a, at a random value."""
    x = rng.uniform(1, 3)
    (a,) = student.leaves(a=x)
    square = a * a
    L = square * a
    L.grad = 1.0
    L._backward()
    square._backward()
    assert a.grad == approx(3 * x * x)


def test_left_and_right(student, rng):
    """One leaf on the left of one operation and on the right of another."""
    x, y, z = rng.uniform(1, 3), rng.uniform(4, 6), rng.uniform(-3, -1)
    a, b, c = student.leaves(a=x, b=y, c=z)
    first, second = a * b, c * a
    first.grad, second.grad = 1.0, 2.0
    first._backward()
    second._backward()
    assert (a.grad, b.grad, c.grad) == approx((y + 2 * z, x, 2 * x))


def test_sums_left_and_right(student, rng):
    """One leaf on the left of one sum and on the right of another."""
    a, b, c = student.leaves(**{name: rng.uniform(-5, 5) for name in "abc"})
    first, second = a + b, c + a
    first.grad, second.grad = 1.0, 2.5
    first._backward()
    second._backward()
    assert (a.grad, b.grad, c.grad) == approx((3.5, 1.0, 2.5))
