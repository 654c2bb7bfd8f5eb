"""The wrong-order diamond: a node may hand its gradient on only when it has all of it."""

from pytest import approx

from grader.autograd import plain_nodes, visit_order, walk


def test_random(student, rng):
    """diamond_order at a random a, and with another factor."""
    x, k = rng.uniform(1, 4), rng.uniform(2, 5)
    inner = plain_nodes(student, {"a": {}, "b": {"a": 1}, "c": {"a": k}, "d": {"b": k * x, "c": x + 1}})
    a, b, c = inner["a"], inner["b"], inner["c"]
    order = visit_order(student, "diamond_order", dict.fromkeys("bcd"), "a")
    walk([inner[name] for name in order], inner["d"])
    assert (b.grad, c.grad) == approx((k * x, x + 1))
    assert a.grad == approx(2 * k * x + k)
