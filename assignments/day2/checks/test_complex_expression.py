"""A value on two paths: L = (a·b + c)·(a + b), walked in complex_order."""

import pytest
from pytest import approx

from grader.autograd import plain_nodes, trusted, visit_order, walk


def build(student, a, b, c):
    a, b, c = student.leaves(a=a, b=b, c=c)
    p = a * b
    q = p + c
    s = a + b
    return (a, b, c), {"L": q * s, "q": q, "s": s, "p": p}


def test_engine(student):
    """Walked from the root, both paths add up in a and in b."""
    (a, b, c), nodes = build(student, 3.0, 2.0, -4.0)
    walk([nodes[name] for name in ("L", "q", "s", "p")], nodes["L"])
    assert a.grad == approx(12.0)
    assert b.grad == approx(17.0)
    assert c.grad == approx(5.0)


def test_order(student):
    """Walked in complex_order, every gradient arrives whole."""
    order = visit_order(student, "complex_order", dict.fromkeys("Lqsp"), "abc")
    inner = {"p": {"a": 2, "b": 3}, "q": {"p": 1, "c": 1}, "s": {"a": 1, "b": 1}, "L": {"q": 5, "s": 2}}
    nodes = plain_nodes(student, {"a": {}, "b": {}, "c": {}, **inner})
    walk([nodes[name] for name in order], nodes["L"])
    a, b, c = nodes["a"], nodes["b"], nodes["c"]
    assert a.grad == approx(12.0)
    assert b.grad == approx(17.0)
    assert c.grad == approx(5.0)


def test_grads(student):
    """complex_grads holds the gradients of a, b and c."""
    answer = student.complex_grads
    if not trusted(student):
        pytest.skip("complex_grads is compared with your own engine as soon as + and × pass.")
    (a, b, c), nodes = build(student, 2.0, -3.0, 10.0)
    walk([nodes[name] for name in ("L", "q", "s", "p")], nodes["L"])
    assert answer == approx({"a": a.grad, "b": b.grad, "c": c.grad})


def test_reset(student):
    """reset_grads(a, b, c) sets each gradient back to 0 and leaves the values alone."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    a.grad, b.grad, c.grad = 5.0, -6.0, 7.0
    student.reset_grads(a, b, c)
    assert (a.grad, b.grad, c.grad) == approx((0.0, 0.0, 0.0))
    assert (a.data, b.data, c.data) == approx((2.0, -3.0, 10.0))
