"""Quiz: what a graph holds, and what Python does for an operator."""


def test_diamond_leaves(student):
    """quiz_diamond_leaves."""
    assert student.quiz_diamond_leaves == 3


def test_minus_nodes(student):
    """quiz_minus_nodes."""
    assert student.quiz_minus_nodes == 5


def test_after_change(student):
    """quiz_after_change."""
    assert student.quiz_after_change == -6


def test_leaf(student):
    """quiz_leaf."""
    assert student.choice("quiz_leaf") == "D"


def test_number_left(student):
    """quiz_number_left."""
    assert student.choice("quiz_number_left") == "B"


def test_why_children(student):
    """quiz_why_children."""
    assert student.choice("quiz_why_children") == "C"
