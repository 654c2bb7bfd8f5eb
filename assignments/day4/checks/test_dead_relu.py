"""Predicted before running: what comes back through an open and through a dead relu."""

import pytest
from pytest import approx

from grader.autograd import trusted_engine

LATER = "Your predictions are compared with your own engine as soon as its operations pass."


def test_relu_chain(student):
    """relu_chain_grads holds the gradients of x, s and m."""
    answer = student.relu_chain_grads
    if not trusted_engine(student):
        pytest.skip(LATER)
    (x,) = student.leaves(x=2.0)
    s = x**2
    m = 3 * s
    m.relu().backward()
    assert answer == approx({"x": x.grad, "s": s.grad, "m": m.grad})


def test_dead_relu(student):
    """dead_relu_grads holds the gradients of w, x, b and z."""
    answer = student.dead_relu_grads
    if not trusted_engine(student):
        pytest.skip(LATER)
    w, x, b = student.leaves(w=-3.0, x=2.0, b=1.0)
    z = w * x + b
    z.relu().backward()
    assert answer == approx({"w": w.grad, "x": x.grad, "b": b.grad, "z": z.grad})
