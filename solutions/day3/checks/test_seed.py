"""backward begins with the root's gradient at 1."""

from pytest import approx

from grader.autograd import plain_nodes


def test_random(student, rng):
    """The leaf's gradient is the product of the slopes."""
    s, t = rng.uniform(2, 5), rng.uniform(-5, -2)
    graph = plain_nodes(student, {"a": {}, "b": {"a": s}, "c": {"b": t}})
    a, b, c = graph["a"], graph["b"], graph["c"]
    student.backward(c)
    assert (c.grad, b.grad, a.grad) == approx((1.0, t, s * t))


def test_root_is_a_leaf(student):
    """backward on a single leaf seeds it."""
    graph = plain_nodes(student, {"a": {}})
    a = graph["a"]
    student.backward(a)
    assert a.grad == approx(1.0)
