"""Quiz: values to read off or derive, and choices."""

import pytest


@pytest.mark.parametrize("name", ["quiz_visited", "quiz_zero_grad", "quiz_wait"])
def test_choice(answers, name):
    """A choice: which of the four is right."""
    answers.judge(name)
