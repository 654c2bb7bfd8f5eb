"""Quiz: values to read off or derive, and choices."""

import pytest


@pytest.mark.parametrize("leaf", ["a", "b"])
def test_sum_times(answers, leaf):
    """quiz_df_da and quiz_df_db are the slopes of f for a and b in sum-times."""
    answers.judge(f"quiz_df_d{leaf}")


def test_neuron(answers):
    """quiz_do_dw1 is the slope of o for w1 in the neuron."""
    answers.judge("quiz_do_dw1")


def test_a_times_a(answers):
    """quiz_a_times_a is what a.grad holds after the backward pass of a * a."""
    answers.judge("quiz_a_times_a")


def test_diamond(answers):
    """quiz_dd_da is the slope of d for a in the diamond."""
    answers.judge("quiz_dd_da")


@pytest.mark.parametrize("name", ["quiz_w2", "quiz_why_add", "quiz_backpropagation"])
def test_choice(answers, name):
    """The answer is one of the letters A to D."""
    answers.judge(name)
