"""Three questions about shapes and seeds."""

import pytest


@pytest.mark.parametrize("name", ["quiz_seed", "quiz_sum", "quiz_transpose"])
def test_choice(answers, name):
    """A choice: which of the four is right."""
    answers.judge(name)
