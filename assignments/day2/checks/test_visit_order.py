"""The wrong-order diamond: a node may hand its gradient on only when it has all of it."""

import pytest

from grader.autograd import judge_order


def test_diamond_order(student):
    """Walked in diamond_order, a gets its whole gradient; here with a = 4."""
    judge_order(student, "diamond_order", {"a": {}, "b": {"a": 1}, "c": {"a": 3}, "d": {"b": 12, "c": 5}})


@pytest.mark.parametrize("first", ["b", "c"])
def test_what_is_lost(answers, first):
    """lost_by_b_first and lost_by_c_first are what a.grad lacks when that node is visited too early."""
    answers.judge(f"lost_by_{first}_first")
