"""+ copies: both inputs get the upstream gradient as it is."""

from pytest import approx


def test_both_inputs(student):
    """In L = a + b with an upstream gradient of 1, both gradients are 1."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a + b
    L.grad = 1.0
    L._backward()
    assert L.data == approx(-1.0)
    assert a.grad == approx(1.0)
    assert b.grad == approx(1.0)


def test_upstream(student):
    """In L = a + b with an upstream gradient of 4, both gradients are 4."""
    a, b = student.leaves(a=0.5, b=7.0)
    L = a + b
    L.grad = 4.0
    L._backward()
    assert a.grad == approx(4.0)
    assert b.grad == approx(4.0)


def test_constant(student):
    """A number may stand on either side: a + 1 and 1 + b."""
    a, b = student.leaves(a=2.0, b=4.0)
    right, left = a + 1, 1 + b
    right.grad = 3.0
    right._backward()
    left.grad = 5.0
    left._backward()
    assert right.data == approx(3.0)
    assert left.data == approx(5.0)
    assert a.grad == approx(3.0)
    assert b.grad == approx(5.0)
