"""Quiz: what a graph holds, and what Python does for an operator."""

import pytest


@pytest.mark.parametrize("name", ["quiz_leaf", "quiz_number_left", "quiz_why_children"])
def test_choice(answers, name):
    """A choice: which of the four is right."""
    answers.judge(name)
