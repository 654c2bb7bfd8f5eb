"""backward begins with the root's gradient at 1."""

from pytest import approx

from grader.autograd import apart_from_sort, plain_nodes


@apart_from_sort
def test_root_is_one(student):
    """After backward(b), with b = 4 * a, b.grad is the number 1 and a.grad the number 4."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 4}})
    student.backward(graph["b"])
    root, leaf = graph["b"], graph["a"]
    assert root.grad == approx(1.0)
    assert leaf.grad == approx(4.0)


@apart_from_sort
def test_seed_before_the_walk(student):
    """In c = 5 * b, b = -2 * a the seed is there before the first _backward is called, so b.grad is 5.

    The _backward of b is called, too; whether its turn is right is told by `reverse_order`.
    """
    graph = plain_nodes(student, {"a": {}, "b": {"a": -2}, "c": {"b": 5}})
    student.backward(graph["c"])
    inner = graph["b"]
    assert inner.grad == approx(5.0)
    assert "b" in graph.log(), "The _backward of `b` is never called."


@apart_from_sort
def test_root_is_a_leaf(student):
    """A node without children may be the root, too: after backward(a), a.grad is 1."""
    graph = plain_nodes(student, {"a": {}})
    a = graph["a"]
    student.backward(a)
    assert a.grad == approx(1.0)


@apart_from_sort
def test_root_is_set(student):
    """In b = 4 * a the seed is set, not added: if b.grad was 5, it is 1 after backward(b)."""
    graph = plain_nodes(student, {"a": {}, "b": {"a": 4}})
    root, leaf = graph["b"], graph["a"]
    root.grad = 5.0
    student.backward(root)
    assert root.grad == approx(1.0)
    assert leaf.grad == approx(4.0)
