"""An inner node that is used twice hands its gradient on once, when it has all of it."""

from pytest import approx

from grader.autograd import plain_nodes

REUSE = {"a": {}, "b": {"a": 3}, "c": {"a": 1, "b": 1}, "d": {"b": 16, "c": 12}}
EXCHANGED = {"a": {}, "b": {"a": 3}, "c": {"b": 1, "a": 1}, "d": {"c": 12, "b": 16}}


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


def test_values(student):
    """With your own Values: reuse at a = 1.5, where a.grad is 24a."""
    (a,) = student.leaves(a=1.5)
    b = 3 * a
    c = a + b
    d = b * c
    student.backward(d)
    assert (a.grad, b.grad, c.grad) == approx((36.0, 10.5, 4.5))


def test_deep_values(student):
    """With your own Values: deep at a = -1.5, with the operands exchanged. There e = b⁵ + b⁴ + b."""
    (a,) = student.leaves(a=-1.5)
    b = a * a
    c = b * b
    d = c + b * c
    e = b + c * d
    student.backward(e)
    assert (a.grad, e.data) == approx((2 * -1.5 * (5 * 2.25**4 + 4 * 2.25**3 + 1), 2.25**5 + 2.25**4 + 2.25))
