"""Quiz: how often, from where, and which shapes."""

import pytest


@pytest.mark.parametrize("name", ["quiz_seed", "quiz_sum", "quiz_transpose"])
def test_choice(answers, name):
    """A choice: which of the four is right."""
    answers.judge(name)
