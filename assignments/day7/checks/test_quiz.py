"""Momentum, held-out rows, zeros, and layers without relu."""

import pytest


def test_velocity(answers):
    """quiz_velocity is the number that the velocity goes towards."""
    answers.judge("quiz_velocity")


@pytest.mark.parametrize("name", ["quiz_held_out", "quiz_zeros", "quiz_linear"])
def test_choice(answers, name):
    """The answer is one of the letters A to D, in quotes."""
    answers.judge(name)
