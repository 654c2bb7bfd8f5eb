"""Quiz: values to read off or derive, and choices."""

import pytest


@pytest.mark.parametrize("name", ["quiz_w2", "quiz_why_add", "quiz_backpropagation"])
def test_choice(answers, name):
    """A choice: which of the four is right."""
    answers.judge(name)
