"""What a step finds in a gradient that was cleared before, and in one that was not."""

import pytest
from pytest import approx

# Executed in the jail: how many parameters a list still holds after `function(parameters)`.
LEFT = """
def left(function, parameters):
    function(parameters)
    return len(parameters)
"""


def held(parameter):
    """The gradient after zero_grad; None counts as 0."""
    return 0.0 if parameter.grad is None else parameter.grad


def test_second_step(answers):
    """second_step holds the gradient of the second step, and where w is after it."""
    answers.judge("second_step")


def test_second_step_forgotten(answers):
    """second_step_forgotten holds the same two numbers without zero_grad between the steps."""
    answers.judge("second_step_forgotten")


def test_cleared(student):
    """zero_grad clears every parameter on its list and leaves data alone."""
    a, b, c, new = student.leaves(a=2.0, b=-3.0, c=10.0, new=1.0)
    a.grad, b.grad, c.grad = -30.0, 20.0, -6.0
    student.zero_grad([a, b, c])
    assert a.grad is not None or new.grad is None, (
        "zero_grad sets the gradients to None, and nothing can be added to None: set them to 0."
    )
    if [p.grad for p in (a, b, c)] == [-30.0, 20.0, -6.0]:
        also = ": set `parameter.grad` with one `=`. A name alone, as in `grad = 0` or `parameter = ...`, is the function's own."
        if a.data != 2.0:
            also = ", and a.data has changed: set `parameter.grad`, and leave data as it is."
        pytest.fail(f"After zero_grad([a, b, c]) all gradients are as they were{also}")
    assert [held(p) for p in (a, b, c)] == [0.0, 0.0, 0.0]
    assert [p.data for p in (a, b, c)] == approx([2.0, -3.0, 10.0])


def test_list_kept(student):
    """zero_grad clears gradients and leaves the list itself as it is."""
    a, b = student.leaves(a=2.0, b=-3.0)
    a.grad, b.grad = -3.0, 2.0
    left = student.helper(LEFT, "left")(student.zero_grad, [a, b])
    assert left == 2, (
        "After zero_grad([a, b]) the list no longer holds both: go through it without pop or remove."
    )
    assert [held(p) for p in (a, b)] == [0.0, 0.0]
