"""Every use adds its contribution, and a node hands on when it has them all."""

from pytest import approx


def test_twice(student):
    """In L = a + a, a.grad is 2."""
    (a,) = student.leaves(a=3.0)
    L = a + a
    L.backward()
    assert (L.data, a.grad) == approx((6.0, 2.0))


def test_square(student):
    """In L = a * a with a = 3, a.grad is 6."""
    (a,) = student.leaves(a=3.0)
    L = a * a
    L.backward()
    assert (L.data, a.grad) == approx((9.0, 6.0))


def test_diamond(student):
    """In b = a + 1, c = a * 3, d = b * c with a = 2, a.grad is 15: 6 through b and 9 through c."""
    (a,) = student.leaves(a=2.0)
    b, c = a + 1, a * 3
    d = b * c
    d.backward()
    assert (d.data, b.grad, c.grad, a.grad) == approx((18.0, 6.0, 3.0, 15.0))


def test_reuse(student):
    """In b = 3 * a, c = a + b, d = b * c with a = 2, b.grad is 14 and a.grad is 48."""
    (a,) = student.leaves(a=2.0)
    b = 3 * a
    c = a + b
    d = b * c
    d.backward()
    assert (d.data, c.grad, b.grad, a.grad) == approx((48.0, 6.0, 14.0, 48.0))


def test_deep(student):
    """In b = a·a, c = b·b, d = c·b + c, e = d·c + b with a = 2, b.grad is 1537 and a.grad is 6148."""
    (a,) = student.leaves(a=2.0)
    b = a * a
    c = b * b
    d = c * b + c
    e = d * c + b
    e.backward()
    assert (e.data, d.grad, c.grad, b.grad, a.grad) == approx((1284.0, 16.0, 160.0, 1537.0, 6148.0))


def test_equal_data(student):
    """Two leaves that both hold 2 are two leaves: each gets its own gradient."""
    a, b = student.leaves(a=2.0, b=2.0)
    L = a * 3 + b * 5
    L.backward()
    assert (L.data, a.grad, b.grad) == approx((16.0, 3.0, 5.0))
