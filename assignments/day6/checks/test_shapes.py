"""Shapes on paper: what numpy makes of two shapes."""

import pytest


@pytest.mark.parametrize("letter", ["a", "b", "c", "d", "e"])
def test_shape(answers, letter):
    """The answer is the shape of the result, a tuple, or the text "error"."""
    answers.judge(f"shape_{letter}")
