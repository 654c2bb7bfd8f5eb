"""A walk by hand: product_order takes the gradient from the root to every leaf."""

from pytest import approx

from grader.autograd import plain_nodes, visit_order, walk


def test_random(student, rng):
    """product_order on random leaves."""
    x, y = rng.uniform(1, 5), rng.uniform(-5, -1)
    order = visit_order(student, "product_order", dict.fromkeys("dL"), "abc")
    nodes = plain_nodes(student, {"a": {}, "b": {}, "c": {}, "d": {"a": y, "b": x}, "L": {"d": 1, "c": 1}})
    walk([nodes[name] for name in order], nodes["L"], seed=2.0)
    a, b, c, d = (nodes[name] for name in "abcd")
    assert (a.grad, b.grad, c.grad, d.grad) == approx((2 * y, 2 * x, 2.0, 2.0))


def test_each_node_once(student):
    """Every inner node stands in product_order exactly once."""
    assert sorted(visit_order(student, "product_order", dict.fromkeys("dL"), "abc")) == ["L", "d"]
