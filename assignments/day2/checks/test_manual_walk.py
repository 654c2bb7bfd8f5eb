"""A walk by hand: product_order takes the gradient from the root to every leaf."""

from pytest import approx

from grader.autograd import judge_order, visit_order, walk


def test_order(student):
    """Walked in product_order, d = a * b and L = d + c give every node its gradient."""
    inner = {"d": {"a": -5, "b": 4}, "L": {"d": 1, "c": 1}}
    judge_order(student, "product_order", {"a": {}, "b": {}, "c": {}, **inner})


def test_every_gradient_arrives(student):
    """Walked through your own closures, product_order gives every node its gradient."""
    a, b, c = student.leaves(a=4.0, b=-5.0, c=-1.0)
    d = a * b
    L = d + c
    nodes = {"L": L, "d": d}
    order = visit_order(student, "product_order", nodes, "abc")
    walk([nodes[name] for name in order], L)
    assert d.grad == approx(1.0)
    assert c.grad == approx(1.0)
    assert a.grad == approx(-5.0)
    assert b.grad == approx(4.0)
