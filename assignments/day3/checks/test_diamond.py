"""The diamond: a gets both contributions, whatever the order of the children."""

import pytest
from pytest import approx

from grader.autograd import plain_nodes


def test_plain_nodes(student):
    """On plain nodes a.grad is 27: 12 through b and 15 through c."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 1}, "c": {"a": 3}, "d": {"b": 12, "c": 5}})
    student.backward(graph["d"])
    a, b, c = graph["a"], graph["b"], graph["c"]
    assert b.grad == approx(12.0)
    assert c.grad == approx(5.0)
    assert a.grad == approx(27.0)


def test_other_child_first(student):
    """The same with the children of d exchanged."""
    graph = plain_nodes(student, {"a": {}, "c": {"a": 3}, "b": {"a": 1}, "d": {"c": 5, "b": 12}})
    student.backward(graph["d"])
    a = graph["a"]
    assert a.grad == approx(27.0)


@pytest.mark.parametrize("number", [2.5, 0.5])
def test_values(student, number):
    """The diamond of your own Values: a.grad is 6a + 3, also where b and c hold the same number."""
    (a,) = student.leaves(a=number)
    b = a + 1
    c = a * 3
    d = b * c
    student.backward(d)
    assert (a.grad, b.grad, c.grad) == approx((6 * number + 3, 3 * number, number + 1))
