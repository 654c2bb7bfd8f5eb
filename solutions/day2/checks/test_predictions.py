"""Predicted gradients: what you wrote down on paper is what a walk gives."""

from pytest import approx


def test_product(student):
    """product_grads."""
    assert student.product_grads == approx({"a": -3.0, "b": 2.0, "c": 1.0, "d": 1.0})


def test_sum_times(student):
    """sum_times_grads."""
    assert student.sum_times_grads == approx({"a": 10.0, "b": 10.0, "c": -1.0, "e": 10.0})


def test_twice(student):
    """twice_with_assignment."""
    assert student.twice_with_assignment == approx({"a + a": 1.0, "a * a": 3.0})


def test_neuron(student):
    """neuron_grads."""
    expected = {"x1": -1.5, "w1": 1.0, "x2": 0.5, "w2": 0.0, "b": 0.5, "n": 0.5}
    assert student.neuron_grads == approx(expected, abs=1e-4)
