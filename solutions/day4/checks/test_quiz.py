"""Quiz: the divisor's gradient, and what changes the product of local derivatives."""

from pytest import approx


def test_divisor(student):
    """quiz_divisor."""
    assert student.quiz_divisor == approx(-0.5)


def test_dead_relu(student):
    """quiz_dead_relu."""
    assert student.choice("quiz_dead_relu") == "B"


def test_activation(student):
    """quiz_activation."""
    assert student.choice("quiz_activation") == "C"


def test_residual(student):
    """quiz_residual."""
    assert student.choice("quiz_residual") == "D"


def test_normalisation(student):
    """quiz_normalisation."""
    assert student.choice("quiz_normalisation") == "A"


def test_initialisation(student):
    """quiz_initialisation."""
    assert student.choice("quiz_initialisation") == "B"
