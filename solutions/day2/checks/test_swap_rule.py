"""× swaps: each factor's gradient is the other factor times the upstream gradient."""

from pytest import approx


def test_random(student, rng):
    """Random leaves and a random upstream gradient."""
    x, y, g = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(1.5, 4)
    a, b = student.leaves(a=x, b=y)
    a.grad, b.grad = 10.0, 20.0
    L = a * b
    assert (a.grad, b.grad) == approx((10.0, 20.0)), (
        "L = a * b changes a.grad or b.grad; only L._backward() adds to them."
    )
    a.grad = b.grad = 0.0
    L.grad = g
    L._backward()
    assert a.grad == approx(y * g)
    assert b.grad == approx(x * g)


def test_values(student, rng):
    """The product has the right value and is a Value, and the inputs keep theirs."""
    x, y = rng.uniform(-5, 5), rng.uniform(-5, 5)
    a, b = student.leaves(a=x, b=y)
    L = a * b
    assert isinstance(L, student.Value)
    L.grad = 2.0
    L._backward()
    assert (a.data, b.data, L.data, L.grad) == approx((x, y, x * y, 2.0))


def test_constants(student, rng):
    """Numbers on either side, ints and floats."""
    x = rng.uniform(1, 5)
    a, b = student.leaves(a=x, b=-x)
    right, left = a * 4, -2.5 * b
    for node, g in ((right, 2.0), (left, -3.0)):
        node.grad = g
        node._backward()
    assert (right.data, left.data) == approx((4 * x, 2.5 * x))
    assert (a.grad, b.grad) == approx((8.0, 7.5))


def test_two_products_at_once(student, rng):
    """Two products made before either is walked: each touches its own factors only."""
    a, b, c, d = student.leaves(a=2.0, b=-3.0, c=5.0, d=0.5)
    c.grad, d.grad = 0.0, 0.0
    first, second = a * b, c * d
    first.grad, second.grad = 2.0, -4.0
    first._backward()
    assert (a.grad, b.grad, c.grad, d.grad) == approx((-6.0, 4.0, 0.0, 0.0))
    second._backward()
    assert (a.grad, b.grad, c.grad, d.grad) == approx((-6.0, 4.0, -2.0, -20.0))


def test_chain_of_products(student):
    """Through (a * b) * c the gradient is multiplied at every step."""
    a, b, c = student.leaves(a=1.5, b=-2.0, c=4.0)
    inner = a * b
    L = inner * c
    L.grad = 0.5
    L._backward()
    inner._backward()
    assert (c.grad, inner.grad) == approx((-1.5, 2.0))
    assert (a.grad, b.grad) == approx((-4.0, 3.0))
