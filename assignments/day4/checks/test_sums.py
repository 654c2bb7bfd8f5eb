"""sum() over values: Python begins with the number 0 on the left, 0 + value."""

from pytest import approx


def test_sum(student):
    """A sum([a, b, a]) counts a twice."""
    a, b = student.leaves(a=2.0, b=5.0)
    L = sum([a, b, a])
    L.backward()
    assert L.data == approx(9.0)
    assert (a.grad, b.grad) == approx((2.0, 1.0))


def test_sum_of_products(student):
    """A sum of x * w over two pairs: each factor gets the other one."""
    x, w, y, v = student.leaves(x=2.0, w=-3.0, y=4.0, v=0.5)
    L = sum(left * right for left, right in [(x, w), (y, v)])
    L.backward()
    assert L.data == approx(-4.0)
    assert (x.grad, w.grad, y.grad, v.grad) == approx((-3.0, 2.0, 0.5, 4.0))
