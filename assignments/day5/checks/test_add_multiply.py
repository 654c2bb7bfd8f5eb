"""+ and ×: values and gradients, with numbers on either side."""

from pytest import approx


def test_sum(student):
    """In L = (a + b) * 4 both gradients are 4."""
    a, b = student.leaves(a=2.5, b=-3.25)
    L = (a + b) * 4
    L.backward()
    assert L.data == approx(-3.0)
    assert (a.grad, b.grad) == approx((4.0, 4.0))


def test_product(student):
    """In L = a * b * 3, a.grad is three times b's value and b.grad three times a's."""
    a, b = student.leaves(a=5.0, b=-0.5)
    L = a * b * 3
    L.backward()
    assert L.data == approx(-7.5)
    assert (a.grad, b.grad) == approx((-1.5, 15.0))


def test_numbers(student):
    """A plain number may stand on either side: a + 4, 4 + a, a * 3 and 3 * a."""
    a, b = student.leaves(a=2.5, b=-1.0)
    L, M = (a + 4) * 3, 0.5 * (4 + b)
    L.backward()
    M.backward()
    assert (L.data, M.data) == approx((19.5, 1.5))
    assert (a.grad, b.grad) == approx((3.0, 0.5))


def test_used_again(student):
    """In L = a * b + a, a collects from both uses."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a * b + a
    L.backward()
    assert (a.grad, b.grad) == approx((-2.0, 2.0))
