"""Predicted before running: what comes back through an open and through a dead relu."""

from pytest import approx


def test_relu_chain(student):
    """relu_chain_grads."""
    assert student.relu_chain_grads == approx({"x": 12.0, "s": 3.0, "m": 1.0})


def test_dead_relu(student):
    """dead_relu_grads."""
    assert student.dead_relu_grads == approx({"w": 0.0, "x": 0.0, "b": 0.0, "z": 0.0})
