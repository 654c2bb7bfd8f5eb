"""The loop takes its numbers from the pairs: where one is changed by hand, the gradients follow."""

from pytest import approx

from grader.autograd import apart_from_sort, double, kept_graph, walkable


@apart_from_sort
def test_product(student):
    """In L = a * b with a = 2 and b = -3, both local gradients are doubled by hand: a.grad is -6, b.grad is 4."""
    edges = {"a": {}, "b": {}, "L": {"a": -3.0, "b": 2.0}}
    a, b, L = walkable(student, lambda a, b: a * b, -6.0, (-3.0, 2.0), edges, a=2.0, b=-3.0)
    factor = double(student, L)  # 1.0 where they cannot be set
    L.backward()
    assert (a.grad, b.grad) == approx((factor * -3.0, factor * 2.0))


@apart_from_sort
def test_inner(student):
    """Where L keeps 4 for p and p keeps -3 for a, a.grad is -12; with what p keeps doubled by hand, it is -24."""
    edges = {"a": {}, "b": {}, "c": {}, "p": {"a": -3.0, "b": 2.0}, "L": {"p": 4.0, "c": 5.0}}
    nodes = kept_graph(student, **edges)
    factor = double(student, nodes["p"])
    nodes["L"].backward()
    assert [nodes[name].grad for name in "abcp"] == approx([factor * -12.0, factor * 8.0, 5.0, 4.0])
