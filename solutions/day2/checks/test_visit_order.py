"""The wrong-order diamond: a node may hand its gradient on only when it has all of it."""

from pytest import approx

from grader.autograd import visit_order, walk


def test_random(student, rng):
    """diamond_order at a random a, and with another factor."""
    x, k = rng.uniform(1, 4), rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    b = a + 1
    c = a * k
    inner = {"b": b, "c": c, "d": b * c}
    order = visit_order(student, "diamond_order", inner, "a")
    walk([inner[name] for name in order], inner["d"])
    assert (b.grad, c.grad) == approx((k * x, x + 1))
    assert a.grad == approx(2 * k * x + k)


def test_lost_by_b_first(student):
    """lost_by_b_first."""
    assert student.lost_by_b_first == approx(6.0)


def test_lost_by_c_first(student):
    """lost_by_c_first."""
    assert student.lost_by_c_first == approx(9.0)
