"""The diamond: a gets both contributions, whatever the order of the children."""

from pytest import approx

from grader.autograd import plain_nodes


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
