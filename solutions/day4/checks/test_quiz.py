"""Quiz: the divisor's gradient, and what changes the product of local derivatives."""

from pytest import approx

from grader.autograd import choice


def test_divisor(student):
    """quiz_divisor."""
    assert student.quiz_divisor == approx(-0.5)


def test_dead_relu(student):
    """quiz_dead_relu."""
    assert choice(student, "quiz_dead_relu") == "B"


def test_activation(student):
    """quiz_activation."""
    assert choice(student, "quiz_activation") == "C"


def test_residual(student):
    """quiz_residual."""
    assert choice(student, "quiz_residual") == "D"


def test_normalisation(student):
    """quiz_normalisation."""
    assert choice(student, "quiz_normalisation") == "A"


def test_initialisation(student):
    """quiz_initialisation."""
    assert choice(student, "quiz_initialisation") == "B"
