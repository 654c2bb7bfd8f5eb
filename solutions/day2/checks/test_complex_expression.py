"""A value on two paths: L = (a·b + c)·(a + b), walked in complex_order."""

from pytest import approx

from grader.autograd import assert_made_from, plain_nodes, visit_order, walk


def build(student, x, y, z):
    a, b, c = student.leaves(a=x, b=y, c=z)
    (p,) = student.name(p=a * b)
    q, s = student.name(q=p + c, s=a + b)
    (L,) = student.name(L=q * s)
    return (a, b, c), {"L": L, "q": q, "s": s, "p": p}


def test_engine(student, rng):
    """Random leaves, walked from the root."""
    x, y, z = rng.uniform(1, 3), rng.uniform(-5, -3.5), rng.uniform(5, 9)
    (a, b, c), nodes = build(student, x, y, z)
    walk([nodes[name] for name in ("L", "s", "q", "p")], nodes["L"])
    q, s = x * y + z, x + y
    assert (a.grad, b.grad, c.grad) == approx((s * y + q, s * x + q, s))


def test_order(student, rng):
    """Random leaves, walked in complex_order."""
    x, y, z = rng.uniform(1, 3), rng.uniform(-5, -3.5), rng.uniform(5, 9)
    order = visit_order(student, "complex_order", dict.fromkeys("Lqsp"), "abc")
    q, s = x * y + z, x + y
    inner = {"p": {"a": y, "b": x}, "q": {"p": 1, "c": 1}, "s": {"a": 1, "b": 1}, "L": {"q": s, "s": q}}
    nodes = plain_nodes(student, {"a": {}, "b": {}, "c": {}, **inner})
    walk([nodes[name] for name in order], nodes["L"])
    a, b, c = nodes["a"], nodes["b"], nodes["c"]
    assert (a.grad, b.grad, c.grad) == approx((s * y + q, s * x + q, s))


def test_reset_and_walk_again(student):
    """After reset_grads over all nodes a second walk gives the same, and the nodes keep their inputs."""
    (a, b, c), nodes = build(student, 2.0, -3.0, 10.0)
    order = [nodes[name] for name in ("L", "q", "s", "p")]
    walk(order, nodes["L"])
    student.reset_grads(a, b, c, *nodes.values())
    assert (a.grad, b.grad, c.grad, nodes["p"].grad) == approx((0.0, 0.0, 0.0, 0.0))
    walk(order, nodes["L"])
    assert (a.grad, b.grad, c.grad) == approx((7.0, 2.0, -1.0))
    if isinstance(getattr(nodes["L"], "_prev", None), set | tuple | list):
        assert_made_from(nodes["L"], nodes["q"], nodes["s"])
