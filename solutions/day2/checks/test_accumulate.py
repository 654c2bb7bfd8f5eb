"""+= and not =: a value that is used twice collects both contributions."""

import pytest
from pytest import approx


def call(root, upstream, *inputs):
    """Call the root's `_backward` after those inputs' gradients, if any, were set to 0."""
    for each in inputs:
        each.grad = 0.0
    root.grad = upstream
    root._backward()


def skip_unless_right(student, apply, expected):
    """Go on only if the operation is right for two different Values, with an upstream gradient of 2.5."""
    with student.trial():
        a, b = student.leaves(a=2.0, b=-3.0)
        call(apply(a, b), 2.5, a, b)
        if (a.grad, b.grad) != approx(expected):
            pytest.skip("the operation is not right yet for two different Values.")


def test_three_times(student, rng):
    """(a + a) + a, at a random value and upstream gradient."""
    skip_unless_right(student, lambda a, b: a + b, (2.5, 2.5))
    g = rng.uniform(1, 4)
    (a,) = student.leaves(a=rng.uniform(1, 5))
    twice = a + a
    call(twice + a, g, a, twice)
    twice._backward()
    assert a.grad == approx(3 * g)


def test_cube(student, rng):
    """(a * a) * a, at a random value."""
    skip_unless_right(student, lambda a, b: a * b, (-7.5, 5.0))
    x = rng.uniform(1, 3)
    (a,) = student.leaves(a=x)
    square = a * a
    call(square * a, 1.0, a, square)
    square._backward()
    assert a.grad == approx(3 * x * x)


def test_left_and_right(student, rng):
    """One leaf on the left of one product and on the right of another."""
    skip_unless_right(student, lambda a, b: a * b, (-7.5, 5.0))
    x, y, z = rng.uniform(1, 3), rng.uniform(4, 6), rng.uniform(-3, -1)
    a, b, c = student.leaves(a=x, b=y, c=z)
    first, second = a * b, c * a
    call(first, 1.0, a, b, c)
    call(second, 2.0)
    assert (a.grad, b.grad, c.grad) == approx((y + 2 * z, x, 2 * x))


def test_sums_left_and_right(student, rng):
    """One leaf on the left of one sum and on the right of another."""
    skip_unless_right(student, lambda a, b: a + b, (2.5, 2.5))
    a, b, c = student.leaves(**{name: rng.uniform(-5, 5) for name in "abc"})
    first, second = a + b, c + a
    call(first, 1.0, a, b, c)
    call(second, 2.5)
    assert (a.grad, b.grad, c.grad) == approx((3.5, 1.0, 2.5))
