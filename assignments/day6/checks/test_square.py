"""Square matrices on paper: with and without the transpose."""

import pytest


@pytest.mark.parametrize("name", ["square_A", "square_A_without_transpose"])
def test_matrix(answers, name):
    """The answer is two rows of two numbers."""
    answers.judge(name)
