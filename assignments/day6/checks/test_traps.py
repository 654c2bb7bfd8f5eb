"""Seven traps that run without an error, and what comes out."""

import pytest


def test_size(answers):
    """The answer is a number."""
    answers.judge("trap_size")


def test_shape(answers):
    """The answer is a shape, a tuple."""
    answers.judge("trap_lost_axis")


@pytest.mark.parametrize(
    "name", ["trap_one_array", "trap_integers", "trap_assigned", "trap_mean", "trap_rows"]
)
def test_numbers(answers, name):
    """The answer is a list of numbers."""
    answers.judge(name)
