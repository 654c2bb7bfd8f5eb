"""Seed the root, then call every node once, after everything that uses it."""

import pytest
from pytest import approx


def diamond(a):
    b = a + 1
    c = a * 3
    return b * c


def diamond_turned(a):
    c = 3 * a
    b = 1 + a
    return c * b


def reuse(a):
    b = 3 * a
    c = a + b
    return b * c


def reuse_turned(a):
    b = a * 3
    c = b + a
    return c * b


def deep(a):
    b = a * a
    c = b * b
    d = c * b + c
    return d * c + b


def deep_turned(a):
    b = a * a
    c = b * b
    d = c + b * c
    return b + c * d


def cubic(a):
    b = 3 * a
    return b * b * b + b * b


GRAPHS = {
    "diamond": (diamond, 15.0),
    "diamond, sides exchanged": (diamond_turned, 15.0),
    "reuse": (reuse, 48.0),
    "reuse, sides exchanged": (reuse_turned, 48.0),
    "deep": (deep, 6148.0),
    "deep, sides exchanged": (deep_turned, 6148.0),
    "cubic": (cubic, 360.0),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graph(student, name):
    """Graphs whose inner nodes are used several times."""
    build, expected = GRAPHS[name]
    (a,) = student.leaves(a=2.0)
    root = build(a)
    root.backward()
    assert (a.grad, root.grad) == approx((expected, 1.0))


def test_equal_inner_values(student, rng):
    """Inner nodes that hold the same number are different nodes."""
    x = rng.randint(2, 6)
    a, b, c = student.leaves(a=float(x), b=float(x), c=float(2 * x))
    s = a + b
    t = 2 * a
    L = (s * t) * c
    L.backward()
    assert (a.grad, b.grad, c.grad) == approx((12.0 * x * x, 4.0 * x * x, 4.0 * x * x))


def test_root_is_a_leaf(student):
    """Called on a single leaf seeds it."""
    (a,) = student.leaves(a=7.0)
    a.backward()
    assert a.grad == approx(1.0)


def test_second_graph(student, rng):
    """A second graph over other leaves is walked from its own root."""
    x, y = rng.uniform(2, 3), rng.uniform(-5, -4)
    a, b, c, d = student.leaves(a=x, b=y, c=y, d=x)
    (a * b).backward()
    (c + d).backward()
    assert (a.grad, b.grad, c.grad, d.grad) == approx((y, x, 1.0, 1.0))


def test_long_sum(student):
    """A sum of 60 terms, added one at a time."""
    a, b = student.leaves(a=2.0, b=3.0)
    total = a
    for _ in range(60):
        total = total + b
    total.backward()
    assert (total.data, a.grad, b.grad) == approx((182.0, 1.0, 60.0))
