"""Quiz: values to read off or derive, and choices."""

import pytest


def test_reuse(answers):
    """quiz_reuse_a is what a.grad holds after the backward pass of reuse."""
    answers.judge("quiz_reuse_a")


def test_same_graph_twice(answers):
    """quiz_same_graph_twice is what a.grad holds after two passes over one graph."""
    answers.judge("quiz_same_graph_twice")


def test_two_fresh_graphs(answers):
    """quiz_two_fresh_graphs is what a.grad holds after a pass over each of two graphs."""
    answers.judge("quiz_two_fresh_graphs")


def test_length(answers):
    """quiz_topo_length is how many elements build_topo lists for complex."""
    answers.judge("quiz_topo_length")


@pytest.mark.parametrize("name", ["quiz_visited", "quiz_zero_grad", "quiz_wait"])
def test_choice(answers, name):
    """The answer is one of the letters A to D."""
    answers.judge(name)
