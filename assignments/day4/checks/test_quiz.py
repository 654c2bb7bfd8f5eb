"""Quiz: the divisor's gradient, and what changes the product of local derivatives."""

import pytest
from pytest import approx

from grader.autograd import choice, trusted_engine


def test_divisor(student):
    """quiz_divisor is the gradient of b in a / b."""
    answer = student.quiz_divisor
    if not trusted_engine(student):
        pytest.skip("Your answer is compared with your own engine as soon as its operations pass.")
    a, b = student.leaves(a=8.0, b=4.0)
    (a / b).backward()
    assert answer == approx(b.grad)


def test_dead_relu(student):
    """quiz_dead_relu is the letter that says why no gradient passes a dead relu."""
    choice(student, "quiz_dead_relu")


def test_activation(student):
    """quiz_activation is the letter that says what relu changes about the product."""
    choice(student, "quiz_activation")


def test_residual(student):
    """quiz_residual is the letter that says what a residual connection makes of a factor."""
    choice(student, "quiz_residual")


def test_normalisation(student):
    """quiz_normalisation is the letter that says what normalisation changes about the product."""
    choice(student, "quiz_normalisation")


def test_initialisation(student):
    """quiz_initialisation is the letter that says what the spread of the first weights is for."""
    choice(student, "quiz_initialisation")
