"""Quiz: what a graph holds, and what Python does for an operator."""

import pytest


def test_diamond_leaves(answers):
    """quiz_diamond_leaves counts the Values that no operation made, each object once. A plain number becomes one, too."""
    answers.judge("quiz_diamond_leaves")


def test_minus_nodes(answers):
    """quiz_minus_nodes counts the nodes of a + (-1) * b: every leaf, and one result for each operator."""
    answers.judge("quiz_minus_nodes")


def test_after_change(answers):
    """quiz_after_change is the number that L.data holds at the end; ask when it was computed."""
    answers.judge("quiz_after_change")


@pytest.mark.parametrize("name", ["quiz_leaf", "quiz_number_left", "quiz_why_children"])
def test_choice(answers, name):
    """The answer is one of the letters A to D, in quotes."""
    answers.judge(name)
