"""One loop: the seed, then every pair in reverse topological order, local times upstream."""

from pytest import approx


def test_seed(student):
    """In L = a * b, L.backward() sets L.grad to 1, a.grad to b's value and b.grad to a's."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a * b
    L.backward()
    assert L.grad == approx(1.0)
    assert (a.grad, b.grad) == approx((-3.0, 2.0))


def test_leaf(student):
    """Calling backward on a single leaf gives it a gradient of 1."""
    (a,) = student.leaves(a=5.0)
    a.backward()
    assert a.grad == approx(1.0)


def test_chain(student):
    """In L = ((a * b) * c) * d every gradient is the product of the other three."""
    a, b, c, d = student.leaves(a=2.0, b=-3.0, c=0.5, d=4.0)
    p = a * b
    q = p * c
    L = q * d
    L.backward()
    assert (d.grad, q.grad) == approx((-3.0, 4.0))
    assert (c.grad, p.grad) == approx((-24.0, 2.0))
    assert (a.grad, b.grad) == approx((-6.0, 4.0))


def test_second_graph(student):
    """L = a * b is walked, then M = c * d: the second walk does not change the gradients of the first."""
    a, b, c, d = student.leaves(a=2.0, b=-3.0, c=0.5, d=4.0)
    L, M = a * b, c * d
    L.backward()
    M.backward()
    assert (c.grad, d.grad) == approx((4.0, 0.5))
    assert (a.grad, b.grad) == approx((-3.0, 2.0))


def test_walked_again(student):
    """L = a * b * 4 is walked, all gradients are set back to 0, and L is walked again: the same gradients."""
    a, b = student.leaves(a=2.0, b=-3.0)
    p = a * b
    L = p * 4
    L.backward()
    for node in (a, b, p, L):
        node.grad = 0.0
    L.backward()
    assert (a.grad, b.grad, p.grad) == approx((-12.0, 8.0, 4.0))


def test_complex(student):
    """In L = (a * b + c) * (a + b) both paths of a and of b are followed."""
    a, b, c = student.leaves(a=-2.0, b=5.0, c=4.0)
    L = (a * b + c) * (a + b)
    L.backward()
    assert L.data == approx(-18.0)
    assert (a.grad, b.grad, c.grad) == approx((9.0, -12.0, 3.0))
