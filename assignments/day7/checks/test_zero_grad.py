"""zero_grad: zeros of the shape of the data, for every parameter."""

import pytest

from grader.sandbox import StudentError


def test_cleared(student):
    """Of all parameters the gradients are zeros afterwards, and the data is as it was."""
    p, q = student.leaves(p=[1.0, -2.0], q=[[4.0, 0.5]])
    optimizer = student.SGD([p, q], 0.5, 0.5)
    p.grad, q.grad = student.array([3.0, -1.0]), student.array([[0.5, 8.0]])
    optimizer.zero_grad()
    assert p.grad == [0.0, 0.0]
    assert q.grad == [[0.0, 0.0]]
    assert p.data == [1.0, -2.0]
    assert q.data == [[4.0, 0.5]]


def test_velocities_stay(student):
    """zero_grad between two steps changes nothing but gradients: p, with it, moves as q does, without it."""
    p, q = student.leaves(p=[1.0, -2.0], q=[1.0, -2.0])
    with_it, without = student.SGD([p], 0.5, 0.5), student.SGD([q], 0.5, 0.5)
    for gradient in ([4.0, 8.0], [2.0, -4.0]):
        p.grad, q.grad = student.array(gradient), student.array(gradient)
        try:
            with_it.step()
            without.step()
        except StudentError:
            pytest.skip("`step` stops with an error.")
        with_it.zero_grad()
    assert student.listed(p.data) == student.listed(q.data), (
        "After zero_grad the next step is another one than without it. The velocities stay."
    )
