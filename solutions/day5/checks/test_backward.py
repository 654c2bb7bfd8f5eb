"""One loop: the seed, then every pair in reverse topological order, local times upstream."""

from pytest import approx


def test_random(student, rng):
    """Random leaves, inner nodes of different depth."""
    x, y, z, k = rng.uniform(1, 3), rng.uniform(-5, -3.5), rng.uniform(5, 9), rng.uniform(1.5, 2.5)
    a, b, c = student.leaves(a=x, b=y, c=z)
    p = a * b
    q = p + c
    r = q * k
    L = r * a
    L.backward()
    assert (L.grad, r.grad, q.grad, p.grad) == approx((1.0, x, k * x, k * x))
    assert (c.grad, b.grad) == approx((k * x, k * x * x))
    assert a.grad == approx(k * x * y + k * (x * y + z))


def test_long_chain(student, rng):
    """Twelve products in a row: the gradient is the product of all factors."""
    factors = [rng.choice((-1.5, -0.5, 0.5, 2.0, 3.0)) for _ in range(12)]
    (a,) = student.leaves(a=rng.uniform(1, 3))
    L, product = a, 1.0
    for factor in factors:
        L, product = L * factor, product * factor
    L.backward()
    assert a.grad == approx(product)


def test_one_graph_beside_another(student, rng):
    """backward on one root leaves the leaves of another graph alone until that one is walked."""
    x, y = rng.uniform(1, 3), rng.uniform(4, 6)
    a, b, c, d = student.leaves(a=x, b=y, c=-x, d=2 * y)
    first, second = a * b, c * d
    first.backward()
    assert (a.grad, b.grad) == approx((y, x))
    second.backward()
    assert (a.grad, b.grad, c.grad, d.grad) == approx((y, x, 2 * y, -x))


def test_from_an_inner_node(student, rng):
    """From an inner node, only what it is made from gets a gradient."""
    x, y = rng.uniform(1, 3), rng.uniform(-5, -3.5)
    a, b, c = student.leaves(a=x, b=y, c=4.0)
    p = a * b
    p * c
    p.backward()
    assert (p.grad, a.grad, b.grad) == approx((1.0, y, x))
