"""Quiz: values to read off or derive, and choices."""

from pytest import approx


def test_reuse(student):
    """quiz_reuse_a."""
    assert student.quiz_reuse_a == approx(48.0)


def test_same_graph_twice(student):
    """quiz_same_graph_twice."""
    assert student.quiz_same_graph_twice == approx(24.0)


def test_two_fresh_graphs(student):
    """quiz_two_fresh_graphs."""
    assert student.quiz_two_fresh_graphs == approx(14.0)


def test_length(student):
    """quiz_topo_length."""
    assert student.quiz_topo_length == 7


def test_visited(student):
    """quiz_visited."""
    assert student.choice("quiz_visited") == "C"


def test_zero_grad(student):
    """quiz_zero_grad."""
    assert student.choice("quiz_zero_grad") == "A"


def test_wait(student):
    """quiz_wait."""
    assert student.choice("quiz_wait") == "B"
