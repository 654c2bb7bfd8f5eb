"""A box grows: it keeps twice its number."""

from pytest import approx


def test_grow_twice(student, rng):
    """A box that grows twice holds four times its number."""
    x = rng.uniform(3, 9)
    box = student.Box(x)
    box.grow()
    box.grow()
    assert box.number == approx(4 * x)
