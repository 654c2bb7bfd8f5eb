"""Zeros of the shape of the data, for every parameter."""

from _helpers import FILLED, HELD, judge_whose, plain

from grader.autograd import skip_test
from grader.sandbox import StudentError


def test_cleared(student):
    """Of all parameters the gradients are zeros afterwards, and the data is as it was."""
    p, q = student.leaves(p=[1.0, -2.0], q=[[4.0, 0.5]])
    optimizer = student.SGD([p, q], 0.5, 0.5)
    p.grad, q.grad = student.array([3.0, -1.0]), student.array([[0.5, 8.0]])
    optimizer.zero_grad()
    if plain(student, p.grad) == [3.0, -1.0]:
        judge_whose(student, optimizer, "zero_grad", p=p, q=q)
    assert p.grad == [0.0, 0.0]
    assert q.grad == [[0.0, 0.0]]
    assert p.data == [1.0, -2.0]
    assert q.data == [[4.0, 0.5]]


def test_velocities_stay(student):
    """Three steps with zero_grad after the first one end where three steps without it end."""
    try:
        without, again = (three_steps(student, between=False) for _ in range(2))
    except StudentError:
        without = again = None
    if without is None or without != again:
        judge_what_is_held(student)
        skip_test("This needs a `step` that is right: look at sgd first.", "sgd")
    found = three_steps(student, between=True)
    assert found == without, (
        f"Without zero_grad after the first of three steps, p.data ends at {without}; with it, at {found}. `zero_grad` "
        f"changes only gradients.{changed_numbers(student)}"
    )


def three_steps(student, *, between):
    """Return where a parameter ends after three steps of an optimizer of its own, with or without zero_grad after the first."""
    (p,) = student.leaves(p=[1.0, -2.0])
    optimizer = student.SGD([p], 0.5, 0.5)
    for i, gradient in enumerate(([4.0, 8.0], [2.0, -4.0], [1.0, 2.0])):
        if i == 1 and between:
            optimizer.zero_grad()
        p.grad = student.array(gradient)
        optimizer.step()
    return student.listed(p.data)


def changed_numbers(student):
    """Return a sentence about each number of an optimizer that zero_grad changes."""
    (p,) = student.leaves(p=[1.0, -2.0])
    optimizer = student.SGD([p], 0.5, 0.5)
    numbers = student.helper(HELD, "numbers")
    before = numbers(optimizer)
    optimizer.zero_grad()
    after = numbers(optimizer)
    return "".join(
        f" zero_grad changes `{name}` of the optimizer from {number:g} to {after[name]:g}."
        for name, number in before.items()
        if after.get(name, number) != number
    )


def judge_what_is_held(student):
    """Judge zero_grad where `step` is wrong: the arrays that the optimizer holds stay as they are."""
    (p,) = student.leaves(p=[1.0, -2.0])
    parameters = student.helper("def listing(p):\n    return [p]\n", "listing")(p)
    optimizer = student.SGD(parameters, 0.5, 0.5)
    p.grad = student.array([4.0, 8.0])
    try:
        optimizer.step()
    except StudentError:
        p.grad = student.array([4.0, 8.0])
    held = student.helper(FILLED, "filled")(optimizer, parameters)
    before = held()
    if not before:
        skip_test("`step` is not right yet, and what the optimizer keeps cannot be seen.")
    optimizer.zero_grad()
    assert held() == before, "zero_grad changes what the optimizer keeps. It may change only gradients."
