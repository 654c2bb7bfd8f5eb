"""Values to read off and derive, and what lies behind them."""

import pytest


@pytest.mark.parametrize("name", ["quiz_square", "quiz_dead_relu", "quiz_order"])
def test_choice(answers, name):
    """A choice: which of the four is right."""
    answers.judge(name)
