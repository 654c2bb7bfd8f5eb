"""Momentum, held-out rows, zeros, and layers without relu."""

import pytest


@pytest.mark.parametrize("name", ["quiz_held_out", "quiz_zeros", "quiz_linear"])
def test_choice(answers, name):
    """A choice: which of the four is right."""
    answers.judge(name)
