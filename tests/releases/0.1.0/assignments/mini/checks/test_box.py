"""A box grows: it keeps twice its number."""

from pytest import approx


def test_grow(student):
    """A box of 2.5 holds 5 when it has grown."""
    box = student.Box(2.5)
    box.grow()
    assert box.number == approx(5.0)
