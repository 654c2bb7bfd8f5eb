"""Predicted before running: what comes back through an open and through a dead relu."""


def test_relu_chain(answers):
    """relu_chain_grads holds the gradients of x, s and m."""
    answers.judge("relu_chain_grads")


def test_dead_relu(answers):
    """dead_relu_grads holds the gradients of w, x, b and z."""
    answers.judge("dead_relu_grads")
