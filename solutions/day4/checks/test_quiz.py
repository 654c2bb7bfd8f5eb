"""The divisor's gradient, and what changes the product of local derivatives."""

import pytest


@pytest.mark.parametrize(
    "name",
    ["quiz_dead_relu", "quiz_activation", "quiz_residual", "quiz_normalisation", "quiz_initialisation"],
)
def test_choice(answers, name):
    """A choice: which of the four is right."""
    answers.judge(name)
