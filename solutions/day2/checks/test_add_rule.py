"""+ copies: both inputs get the upstream gradient as it is."""

from pytest import approx


def test_random(student, rng):
    """Random leaves and a random upstream gradient."""
    a, b = student.leaves(a=rng.uniform(-5, 5), b=rng.uniform(-5, 5))
    g = rng.uniform(0.5, 4)
    a.grad, b.grad = 10.0, 20.0
    L = a + b
    assert (a.grad, b.grad) == approx((10.0, 20.0)), (
        "L = a + b changes a.grad or b.grad; only L._backward() adds to them."
    )
    a.grad = b.grad = 0.0
    L.grad = g
    L._backward()
    assert a.grad == approx(g)
    assert b.grad == approx(g)


def test_values(student, rng):
    """The sum has the right value and is a Value, and the inputs keep theirs."""
    x, y = rng.uniform(-5, 5), rng.uniform(-5, 5)
    a, b = student.leaves(a=x, b=y)
    L = a + b
    assert isinstance(L, student.Value)
    L.grad = 2.0
    L._backward()
    assert (a.data, b.data, L.data, L.grad) == approx((x, y, x + y, 2.0))


def test_constants(student, rng):
    """Numbers on either side, ints and floats."""
    x = rng.uniform(1, 5)
    a, b = student.leaves(a=x, b=-x)
    right, left = a + 4, -2.5 + b
    for node, g in ((right, 2.0), (left, -3.0)):
        node.grad = g
        node._backward()
    assert (right.data, left.data) == approx((x + 4, -2.5 - x))
    assert (a.data, b.data) == approx((x, -x))
    assert (a.grad, b.grad) == approx((2.0, -3.0))


def test_two_sums_at_once(student, rng):
    """Two sums made before either is walked: each touches its own inputs only."""
    a, b, c, d = student.leaves(**{name: rng.uniform(-5, 5) for name in "abcd"})
    c.grad, d.grad = 0.0, 0.0
    first, second = a + b, c + d
    first.grad, second.grad = 7.5, -9.0
    first._backward()
    assert (a.grad, b.grad, c.grad, d.grad) == approx((7.5, 7.5, 0.0, 0.0))
    second._backward()
    assert (a.grad, b.grad, c.grad, d.grad) == approx((7.5, 7.5, -9.0, -9.0))


def test_chain_of_sums(student):
    """Through (a + b) + c the gradient arrives unchanged at every leaf."""
    a, b, c = student.leaves(a=1.0, b=-2.0, c=4.0)
    inner = a + b
    L = inner + c
    L.grad = -1.5
    L._backward()
    inner._backward()
    assert (a.grad, b.grad, c.grad, inner.grad) == approx((-1.5, -1.5, -1.5, -1.5))
