"""The diamond: a gets both contributions, whatever the order of the children."""

import pytest
from _helpers import assert_knows
from pytest import approx

from grader.autograd import plain_nodes

OPERATIONS = {"+": lambda a, b: a + b, "*": lambda a, b: a * b}


def test_plain_nodes(student):
    """On plain nodes, at a = 2, a.grad is 15: 6 through b and 9 through c."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 1}, "c": {"a": 3}, "d": {"b": 6, "c": 3}})
    student.backward(graph["d"])
    a, b, c = graph["a"], graph["b"], graph["c"]
    assert b.grad == approx(6.0)
    assert c.grad == approx(3.0)
    assert a.grad == approx(15.0)


def test_other_child_first(student):
    """The same with the children of d exchanged."""
    graph = plain_nodes(student, {"a": {}, "c": {"a": 3}, "b": {"a": 1}, "d": {"c": 3, "b": 6}})
    student.backward(graph["d"])
    a = graph["a"]
    assert a.grad == approx(15.0)


@pytest.mark.parametrize("sign", OPERATIONS)
def test_result_knows_its_inputs(student, sign):
    """The result of + and * keeps the Values that it was made from in `_prev`."""
    inputs = student.Value(2.0), student.Value(-3.0)
    assert_knows(student, OPERATIONS[sign](*inputs), inputs, sign)


def check_values(student, number):
    a = student.Value(number)
    b = a + 1
    c = a * 3
    d = b * c
    student.name(a=a, b=b, c=c, d=d)
    student.backward(d)
    assert (a.grad, b.grad, c.grad) == approx((6 * number + 3, 3 * number, number + 1))


def test_values(student):
    """With your own Values: b = a + 1, c = a * 3, d = b * c at a = 2.5, where a.grad is 6a + 3."""
    check_values(student, 2.5)


def test_equal_values(student):
    """The same at a = 0.5, where b and c both hold 1.5 and are two nodes all the same."""
    check_values(student, 0.5)
