"""Seed the root, then call every node once, after everything that uses it."""

from pytest import approx


def test_diamond(student):
    """Where b = a + 1, c = a * 3, d = b * c at a = 2: both paths reach a."""
    (a,) = student.leaves(a=2.0)
    b = a + 1
    c = a * 3
    d = b * c
    d.backward()
    assert d.data == approx(18.0)
    assert (a.grad, b.grad, c.grad, d.grad) == approx((15.0, 6.0, 3.0, 1.0))


def test_reuse(student):
    """Where b = 3 * a, c = a + b, d = b * c at a = 2: b is used twice, at different depths."""
    (a,) = student.leaves(a=2.0)
    b = 3 * a
    c = a + b
    d = b * c
    d.backward()
    assert d.data == approx(48.0)
    assert (a.grad, b.grad, c.grad) == approx((48.0, 14.0, 6.0))


def test_equal_values(student):
    """Two values that hold the same number are still two: (a + b) * (b * a) at 2 and 2."""
    a, b = student.leaves(a=2.0, b=2.0)
    s, p = student.name(s=a + b, p=b * a)
    L = s * p
    L.backward()
    assert L.data == approx(16.0)
    assert (a.grad, b.grad, s.grad, p.grad) == approx((12.0, 12.0, 4.0, 4.0))


def test_gradients_already_there(student):
    """What an inner node of (a * b) + (c * d) held before makes no difference to c and d."""
    a, b, c, d = student.leaves(a=2.0, b=-3.0, c=5.0, d=0.5)
    p, q = student.name(p=a * b, q=c * d)
    a.grad, p.grad = 7.0, 3.0
    L = p + q
    L.backward()
    assert (c.grad, d.grad) == approx((0.5, 5.0))


def test_second_graph(student):
    """A second call, on another graph: (a * b).backward(), then (c + d).backward()."""
    a, b, c, d = student.leaves(a=2.0, b=-1.5, c=5.0, d=0.5)
    first, second = a * b, c + d
    first.backward()
    second.backward()
    assert (a.grad, b.grad, c.grad, d.grad) == approx((-1.5, 2.0, 1.0, 1.0))


def test_larger_graph_afterwards(student):
    """Backward from p = a * b; then, with the gradients at 0 again, from L = p * c, which is made from p."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=5.0)
    (p,) = student.name(p=a * b)
    p.backward()
    a.grad = b.grad = p.grad = 0.0
    L = p * c
    L.backward()
    assert (a.grad, b.grad, c.grad, p.grad) == approx((-15.0, 10.0, -6.0, 5.0))
