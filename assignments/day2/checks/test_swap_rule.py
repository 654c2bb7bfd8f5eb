"""× swaps: each factor's gradient is the other factor times the upstream gradient."""

from pytest import approx


def test_other_factor(student):
    """In L = a * b, a.grad is b's value and b.grad is a's value."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a * b
    L.grad = 1.0
    L._backward()
    assert L.data == approx(-6.0)
    assert a.grad == approx(-3.0)
    assert b.grad == approx(2.0)


def test_upstream(student):
    """With an upstream gradient of 4, each factor gets four times the other one."""
    a, b = student.leaves(a=5.0, b=0.5)
    L = a * b
    L.grad = 4.0
    L._backward()
    assert a.grad == approx(2.0)
    assert b.grad == approx(20.0)


def test_constant(student):
    """A number may stand on either side: a * 3 and 5 * b."""
    a, b = student.leaves(a=2.0, b=4.0)
    right, left = a * 3, 5 * b
    right.grad = 1.0
    right._backward()
    left.grad = 2.0
    left._backward()
    assert right.data == approx(6.0)
    assert left.data == approx(20.0)
    assert a.grad == approx(3.0)
    assert b.grad == approx(10.0)
