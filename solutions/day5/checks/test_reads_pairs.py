"""The loop takes its numbers from the pairs: where one is changed by hand, the gradients follow."""

from pytest import approx

from grader.autograd import apart_from_sort, double, walkable


def product_and_sum(student, x, y):
    """a, b, and a * b + a."""
    edges = {"a": {}, "b": {}, "L": {"a": y + 1, "b": x}}
    return walkable(student, lambda a, b: a * b + a, x * y + x, (y + 1, x), edges, a=x, b=y)


@apart_from_sort
def test_random(student, rng):
    """The local gradients of the root are doubled by hand."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b, L = product_and_sum(student, x, y)
    factor = double(student, L)  # 1.0 where they cannot be set
    L.backward()
    assert (a.grad, b.grad) == approx((factor * (y + 1), factor * x))


@apart_from_sort
def test_changed_later(student, rng):
    """The data of the leaves is changed after the forward pass."""
    x, y = rng.uniform(1, 3), rng.uniform(-6, -4)
    a, b, L = product_and_sum(student, x, y)
    a.data, b.data = 2 * x, -y
    L.backward()
    assert (a.grad, b.grad) == approx((y + 1, x))
