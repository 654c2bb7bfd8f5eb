"""Three runs that do not learn, and why."""

import pytest


@pytest.mark.parametrize("name", ["run_1", "run_2", "run_3"])
def test_run(answers, name):
    """A choice: which change belongs to the run."""
    answers.judge(name)
