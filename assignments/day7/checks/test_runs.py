"""Three runs that do not learn, and why."""

import pytest


@pytest.mark.parametrize("name", ["run_1", "run_2", "run_3"])
def test_run(answers, name):
    """The answer is one of the letters A to C, in quotes."""
    answers.judge(name)
