"""Gradients on paper: an entry that is repeated collects from each of its uses."""

import pytest


@pytest.mark.parametrize("name", ["stretch_b", "column_P", "row_Q"])
def test_gradient(answers, name):
    """The gradient has the shape of its data."""
    answers.judge(name)
