"""Day 2's neuron in tensors has day 2's gradients."""

from pytest import approx

from grader.autograd import apart_from_unbroadcast


@apart_from_unbroadcast
def test_gradients(student):
    """tanh(x @ w + b) at day 2's numbers, from `backward`."""
    x, w, b = student.leaves(x=[[2.0, 0.0]], w=[[-3.0], [1.0]], b=6.8813735870195432)
    (o,) = student.name(o=(x @ w + b).tanh())
    o.backward()
    assert o.data == approx([[0.70710678]])
    assert x.grad == approx([[-1.5, 0.5]])
    assert w.grad == approx([[1.0], [0.0]])
    assert b.grad == approx(0.5)
