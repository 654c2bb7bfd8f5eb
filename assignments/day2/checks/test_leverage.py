"""Reading gradients: the sign says which way, the size says how much."""

import pytest
from pytest import approx

from grader.autograd import trusted, walk

LATER = "Your answers are compared with your own engine as soon as + and × pass."


def gradients(student):
    if not trusted(student):
        pytest.skip(LATER)
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    d = a * b
    L = d + c
    walk([L, d], L)
    return {"a": float(a.grad), "b": float(b.grad), "c": float(c.grad)}


def test_strongest(student):
    """`strongest` names the leaf with the largest gradient, whatever its sign."""
    answer = student.strongest
    measured = gradients(student)
    assert answer == max(measured, key=lambda name: abs(measured[name]))


def test_leverage(student):
    """leverage_a_over_c is how many times a moves L as much as c does, without a sign."""
    answer = student.leverage_a_over_c
    measured = gradients(student)
    assert answer == approx(abs(measured["a"] / measured["c"]))


def test_nudge_up(student):
    """nudge_up lists the leaves that raise L when they grow."""
    answer = student.quietly("nudge_up")
    assert isinstance(answer, list | tuple | set), "`nudge_up` must be a list of names, such as ['a', ...]."
    names = sorted(str(name) for name in answer)
    student.note("nudge_up", names)
    measured = gradients(student)
    assert names == sorted(name for name, gradient in measured.items() if gradient > 0)
