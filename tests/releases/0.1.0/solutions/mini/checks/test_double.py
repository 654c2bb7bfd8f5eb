"""Doubling: twice the number."""

from pytest import approx


def test_any(student, rng):
    """Twice any number."""
    x = rng.uniform(3, 9)
    assert student.double(x) == approx(2 * x)
