"""Values to read off and derive, and what lies behind them."""

import pytest


def test_quotient(answers):
    """quiz_quotient is the local gradient of a / b for b, with a = 6 and b = 2."""
    answers.judge("quiz_quotient")


def test_changed_later(answers):
    """quiz_changed_later is b.grad when a.data is changed between the forward and the backward pass."""
    answers.judge("quiz_changed_later")


def test_three_pairs(answers):
    """quiz_three_pairs is a.grad of a * a + 3 * a with a = 4."""
    answers.judge("quiz_three_pairs")


@pytest.mark.parametrize("name", ["quiz_square", "quiz_dead_relu", "quiz_order"])
def test_choice(answers, name):
    """The answer is one of the letters A to D, in quotes."""
    answers.judge(name)
