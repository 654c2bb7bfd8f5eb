"""Values to read off and derive, and what lies behind them."""

import pytest
from pytest import approx


def test_quotient(student):
    """quiz_quotient."""
    assert student.quiz_quotient == approx(-1.5)


def test_changed_later(student):
    """quiz_changed_later."""
    assert student.quiz_changed_later == approx(2.0)


def test_three_pairs(student):
    """quiz_three_pairs."""
    assert student.quiz_three_pairs == approx(11.0)


@pytest.mark.parametrize(
    ("name", "right"), [("quiz_square", "D"), ("quiz_dead_relu", "B"), ("quiz_order", "A")]
)
def test_choice(student, name, right):
    """A choice: what lies behind the values."""
    assert student.choice(name) == right
