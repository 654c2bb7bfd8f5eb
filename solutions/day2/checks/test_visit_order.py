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


def test_random_through_own_closures(student, rng):
    """The same through the student's own closures."""
    order = visit_order(student, "diamond_order", dict.fromkeys("bcd"), "a")
    x, k = rng.uniform(1, 4), rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    b = a + 1
    c = a * k
    inner = {"b": b, "c": c, "d": b * c}
    walk([inner[name] for name in order], inner["d"])
    assert a.grad == approx(2 * k * x + k)
