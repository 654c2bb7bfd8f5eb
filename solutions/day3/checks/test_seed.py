"""backward begins with the root's gradient at 1."""

from pytest import approx

from grader.autograd import apart_from_sort, plain_nodes


@apart_from_sort
def test_random(student, rng):
    """The leaf's gradient is the slope."""
    slope = rng.uniform(-5, -2)
    graph = plain_nodes(student, {"a": {}, "b": {"a": slope}})
    a, b = graph["a"], graph["b"]
    student.backward(b)
    assert (b.grad, a.grad) == approx((1.0, slope))


@apart_from_sort
def test_root_is_a_leaf(student):
    """backward on a single leaf seeds it."""
    graph = plain_nodes(student, {"a": {}})
    a = graph["a"]
    student.backward(a)
    assert a.grad == approx(1.0)
