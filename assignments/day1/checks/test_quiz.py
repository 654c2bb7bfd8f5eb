"""Quiz: what a graph holds, and what Python does for an operator."""

import pytest


def test_diamond_leaves(answers):
    """quiz_diamond_leaves is the number of leaves in the diamond's graph."""
    answers.judge("quiz_diamond_leaves")


def test_minus_nodes(answers):
    """quiz_minus_nodes is the number of nodes in the graph of a + (-1) * b."""
    answers.judge("quiz_minus_nodes")


def test_after_change(answers):
    """quiz_after_change is what L.data is when a.data is changed after L = a * b."""
    answers.judge("quiz_after_change")


@pytest.mark.parametrize("name", ["quiz_leaf", "quiz_number_left", "quiz_why_children"])
def test_choice(answers, name):
    """The answer is one of the letters A to D, in quotes."""
    answers.judge(name)
