"""- and negation: the subtrahend's gradient has the opposite sign, and the sides stay where they are."""

from pytest import approx


def test_shared_difference(student, rng):
    """An inner difference that is used twice hands on an upstream gradient of 2."""
    x, y, z = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(7, 9)
    a, b, c = student.leaves(a=x, b=y, c=z)
    d = a - b
    L = d - (c - d)
    L.backward()
    assert isinstance(L, student.Value)
    assert L.data == approx(2 * (x - y) - z)
    assert (a.grad, b.grad, c.grad, d.grad) == approx((2.0, -2.0, -1.0, 2.0))


def test_value_minus_itself(student, rng):
    """a - a is 0 and does not move."""
    (a,) = student.leaves(a=rng.uniform(2, 5))
    L = a - a
    L.backward()
    assert (L.data, a.grad) == approx((0.0, 0.0))


def test_left_of_both(student, rng):
    """One leaf on the left of two differences."""
    a, b, c = student.leaves(a=rng.uniform(1, 3), b=rng.uniform(-6, -4), c=rng.uniform(7, 9))
    L = (a - b) - (c - (a - c))
    L.backward()
    assert (a.grad, b.grad, c.grad) == approx((2.0, -1.0, -2.0))


def test_right_of_both(student, rng):
    """One leaf on the right of two differences."""
    a, b = student.leaves(a=rng.uniform(1, 3), b=rng.uniform(-6, -4))
    L = (a - b) - b
    L.backward()
    assert (a.grad, b.grad) == approx((1.0, -2.0))


def test_numbers(student, rng):
    """Numbers on both sides, one inside the other."""
    x = rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    L = 1.5 - ((3 - a) - 7.25)
    L.backward()
    assert (L.data, a.grad) == approx((5.75 + x, 1.0))


def test_negated_twice(student, rng):
    """-(-a) is a."""
    x = rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    n = -a
    L = -n
    L.backward()
    assert isinstance(n, student.Value)
    assert (n.data, L.data) == approx((-x, x))
    assert (a.grad, n.grad) == approx((1.0, -1.0))


def test_negation_beside_its_input(student, rng):
    """-a - a and b - (-a): the input collects both, and the upstream gradient is kept."""
    x, y = rng.uniform(2, 5), rng.uniform(-5, -2)
    a, b = student.leaves(a=x, b=y)
    n = -a
    L = (n - (b - n)) - a
    L.backward()
    assert L.data == approx(-3 * x - y)
    assert (a.grad, b.grad, n.grad) == approx((-3.0, -1.0, 2.0))
