"""An inner node that is used twice hands its gradient on once, when it has all of it."""

from pytest import approx

from grader.autograd import plain_nodes

REUSE = {"a": {}, "b": {"a": 3}, "c": {"a": 1, "b": 1}, "d": {"b": 16, "c": 12}}
EXCHANGED = {"a": {}, "b": {"a": 3}, "c": {"b": 1, "a": 1}, "d": {"c": 12, "b": 16}}
DEEP = {
    "a": {}, "b": {"a": 4}, "c": {"b": 8}, "p": {"c": 4, "b": 16}, "d": {"p": 1, "c": 1},
    "q": {"d": 16, "c": 80}, "e": {"q": 1, "b": 1},
}  # fmt: skip


def test_reuse(student):
    """In b = 3·a, c = a + b, d = b·c at a = 4, a.grad is 96."""
    graph = plain_nodes(student, REUSE)
    student.backward(graph["d"])
    a, b, c = graph["a"], graph["b"], graph["c"]
    assert c.grad == approx(12.0)
    assert b.grad == approx(28.0)
    assert a.grad == approx(96.0)


def test_reuse_exchanged(student):
    """The same with every pair of operands exchanged."""
    graph = plain_nodes(student, EXCHANGED)
    student.backward(graph["d"])
    a = graph["a"]
    assert a.grad == approx(96.0)


def test_deep(student):
    """In b = a·a, c = b·b, d = c·b + c, e = d·c + b at a = 2, a.grad is 6148."""
    graph = plain_nodes(student, DEEP)
    student.backward(graph["e"])
    a, b, c, d = graph["a"], graph["b"], graph["c"], graph["d"]
    assert (d.grad, c.grad, b.grad, a.grad) == approx((16.0, 160.0, 1537.0, 6148.0))
