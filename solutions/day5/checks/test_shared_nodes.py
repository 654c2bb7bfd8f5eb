"""Every use adds its contribution, and a node hands on when it has them all."""

from pytest import approx


def test_diamond_exchanged(student, rng):
    """The diamond with its operands exchanged, at random numbers."""
    x, k = rng.uniform(1, 4), rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    c, b = k * a, 1 + a
    d = c * b
    d.backward()
    assert (b.grad, c.grad, a.grad) == approx((k * x, x + 1, 2 * k * x + k))


def test_reuse_exchanged(student):
    """reuse with its operands exchanged."""
    (a,) = student.leaves(a=2.0)
    b = a * 3
    c = b + a
    d = c * b
    d.backward()
    assert (c.grad, b.grad, a.grad) == approx((6.0, 14.0, 48.0))


def test_deep(student, rng):
    """deep at a random value: its root is a¹⁰ + a⁸ + a²."""
    x = rng.uniform(0.8, 1.2)
    (a,) = student.leaves(a=x)
    b = a * a
    c = b * b
    d = c * b + c
    e = d * c + b
    e.backward()
    assert (e.data, a.grad) == approx((x**10 + x**8 + x**2, 10 * x**9 + 8 * x**7 + 2 * x))


def test_deep_exchanged(student):
    """deep with its operands exchanged."""
    (a,) = student.leaves(a=2.0)
    b = a * a
    c = b * b
    d = c + b * c
    e = b + c * d
    e.backward()
    assert (e.data, a.grad) == approx((1284.0, 6148.0))


def test_doublings(student):
    """Twelve doublings, each node used twice by the next: the gradient is 4096."""
    (a,) = student.leaves(a=1.5)
    node = a
    for _ in range(12):
        node = node + node
    node.backward()
    assert (node.data, a.grad) == approx((6144.0, 4096.0))


def test_equal_data(student, rng):
    """Leaves and inner nodes with the same data stay apart."""
    x = rng.uniform(2, 4)
    a, b, c = student.leaves(a=x, b=x, c=0.0)
    p, q = a + c, b + c
    L = p * 2 + q * 7 + a
    L.backward()
    assert (a.grad, b.grad, c.grad) == approx((3.0, 7.0, 9.0))
