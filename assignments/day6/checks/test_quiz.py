"""Three questions about shapes and seeds."""

import pytest


@pytest.mark.parametrize("name", ["quiz_seed", "quiz_sum", "quiz_transpose"])
def test_choice(answers, name):
    """The answer is one of the letters A to D, in quotes."""
    answers.judge(name)
