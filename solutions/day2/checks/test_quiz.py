"""Quiz: values to read off or derive, and choices."""

import pytest
from pytest import approx


@pytest.mark.parametrize("leaf", ["a", "b"])
def test_sum_times(student, leaf):
    """quiz_df_da and quiz_df_db."""
    assert getattr(student, f"quiz_df_d{leaf}") == approx(10.0)


def test_neuron(student):
    """quiz_do_dw1."""
    assert student.quiz_do_dw1 == approx(1.0, abs=1e-4)


def test_a_times_a(student):
    """quiz_a_times_a."""
    assert student.quiz_a_times_a == approx(6.0)


def test_diamond(student):
    """quiz_dd_da."""
    assert student.quiz_dd_da == approx(15.0)


def test_w2(student):
    """quiz_w2."""
    assert student.choice("quiz_w2") == "D"


def test_why_add(student):
    """quiz_why_add."""
    assert student.choice("quiz_why_add") == "B"


def test_backpropagation(student):
    """quiz_backpropagation."""
    assert student.choice("quiz_backpropagation") == "C"
