"""The wrong-order diamond: a node may hand its gradient on only when it has all of it."""

import pytest
from pytest import approx

from grader.autograd import judge_order, visit_order, walk


def test_diamond_order(student):
    """Walked in diamond_order, a gets its whole gradient; here with a = 4."""
    judge_order(student, "diamond_order", {"a": {}, "b": {"a": 1}, "c": {"a": 3}, "d": {"b": 12, "c": 5}})


def test_own_closures(student):
    """Walked through your own closures, diamond_order gives a.grad = 27 with a = 4."""
    order = visit_order(student, "diamond_order", dict.fromkeys("bcd"), "a")
    (a,) = student.leaves(a=4.0)
    b = a + 1
    c = a * 3
    nodes = {"b": b, "c": c, "d": b * c}
    walk([nodes[name] for name in order], nodes["d"])
    assert a.grad == approx(27.0)


@pytest.mark.parametrize("first", ["b", "c"])
def test_what_is_lost(answers, first):
    """lost_by_b_first and lost_by_c_first are what a.grad lacks when that node is visited too early."""
    answers.judge(f"lost_by_{first}_first")
