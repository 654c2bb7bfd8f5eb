"""Three runs that do not learn, and why."""

import pytest


def test_no_worse(answers):
    """no_worse is the number of the run whose last loss is no larger than first_loss."""
    answers.judge("no_worse")


@pytest.mark.parametrize("name", ["run_1", "run_2", "run_3"])
def test_run(answers, name):
    """The answer is one of the letters A to C, in quotes."""
    answers.judge(name)
