"""A plain number may stand on either side of + and ×, and becomes a leaf of the graph."""

import pytest
from pytest import approx

from grader.autograd import assert_made_from, children

SIDES = {
    "right of +": (lambda a, k: a + k, lambda x, k: x + k, "+"),
    "left of +": (lambda a, k: k + a, lambda x, k: k + x, "+"),
    "right of *": (lambda a, k: a * k, lambda x, k: x * k, "*"),
    "left of *": (lambda a, k: k * a, lambda x, k: k * x, "*"),
}


@pytest.mark.parametrize("side", SIDES)
def test_random(student, rng, side):
    """Random numbers on either side: data, children, operation."""
    x, k = rng.uniform(1, 5), rng.uniform(-9, -6)
    build, compute, operation = SIDES[side]
    (a,) = student.leaves(a=x)
    L = build(a, k)
    others = [child for child in children(L) if child is not a]
    assert len(others) == 1, f"`_prev` of {student.called(L)} should hold a and a leaf for the number."
    assert_made_from(others[0])
    assert (L.data, a.data, others[0].data) == approx((compute(x, k), x, k))
    assert L._op == operation
    assert_made_from(L, a, others[0])


@pytest.mark.parametrize("side", SIDES)
def test_zero(student, side):
    """A 0 is a number like any other."""
    build, compute, _ = SIDES[side]
    (a,) = student.leaves(a=2.5)
    L = build(a, 0)
    assert len(children(L)) == 2, f"`_prev` of {student.called(L)} should hold a and a leaf for the 0."
    assert L.data == approx(compute(2.5, 0))


def test_inside_of_an_expression(student, rng):
    """Numbers among several operations."""
    x, y = rng.uniform(1, 5), rng.uniform(-9, -6)
    a, b = student.leaves(a=x, b=y)
    inner = 2 * a
    shifted = inner + 0.5
    L = 1 + shifted * b
    children(L)
    assert L.data == approx(1 + (2 * x + 0.5) * y)
    assert (inner.data, shifted.data) == approx((2 * x, 2 * x + 0.5))


def test_sum(student, rng):
    """Python's `sum` over Values begins with the number 0."""
    x, y, z = rng.uniform(1, 5), rng.uniform(-9, -6), rng.uniform(10, 20)
    total = sum(student.leaves(a=x, b=y, c=z))
    children(total)
    assert total.data == approx(x + y + z)
