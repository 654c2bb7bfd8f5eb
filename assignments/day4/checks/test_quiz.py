"""The divisor's gradient, and what changes the product of local derivatives."""

import pytest


def test_divisor(answers):
    """quiz_divisor is the gradient of b in a / b."""
    answers.judge("quiz_divisor")


@pytest.mark.parametrize(
    "name",
    ["quiz_dead_relu", "quiz_activation", "quiz_residual", "quiz_normalisation", "quiz_initialisation"],
)
def test_choice(answers, name):
    """The answer is one of the letters A to D, in quotes."""
    answers.judge(name)
