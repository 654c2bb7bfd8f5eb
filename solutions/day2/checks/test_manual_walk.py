"""A walk by hand: product_order takes the gradient from the root to every leaf."""

from pytest import approx

from grader.autograd import visit_order, walk


def test_random(student, rng):
    """product_order on random leaves."""
    x, y = rng.uniform(1, 5), rng.uniform(-5, -1)
    a, b, c = student.leaves(a=x, b=y, c=rng.uniform(-5, 5))
    d = a * b
    L = d + c
    nodes = {"L": L, "d": d}
    order = visit_order(student, "product_order", nodes, "abc")
    walk([nodes[name] for name in order], L, seed=2.0)
    assert (a.grad, b.grad, c.grad, d.grad, L.grad) == approx((2 * y, 2 * x, 2.0, 2.0, 2.0))


def test_each_node_once(student):
    """Every inner node stands in product_order exactly once."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    d = a * b
    nodes = {"L": d + c, "d": d}
    assert sorted(visit_order(student, "product_order", nodes, "abc")) == ["L", "d"]
