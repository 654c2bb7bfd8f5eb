"""Quiz: how often, from where, and which shapes."""

import pytest


def test_uses(answers):
    """The answer is a number."""
    answers.judge("quiz_uses")


@pytest.mark.parametrize("name", ["quiz_seed", "quiz_sum", "quiz_transpose"])
def test_choice(answers, name):
    """The answer is one of the letters A to D, in quotes."""
    answers.judge(name)
