"""Gradients add up over graphs: backward clears nothing, that is what zero_grad is for."""

from pytest import approx


def test_two_fresh_graphs(student):
    """Two fresh graphs over the same leaves: the gradients add up."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    for _ in range(2):
        student.backward((a * b + c) * (a + b))
    assert (a.grad, b.grad, c.grad) == approx((14.0, 4.0, -2.0))


def test_second_graph_after_the_first(student):
    """Another graph after the first is walked from its own root."""
    a, b = student.leaves(a=2.0, b=5.0)
    student.backward(a * b)
    student.backward(a + b)
    assert (a.grad, b.grad) == approx((6.0, 3.0))
