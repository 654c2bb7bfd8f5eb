"""× swaps: each factor's gradient is the other factor times the upstream gradient."""

from pytest import approx

from grader.autograd import assert_made_from


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


def test_negative_upstream(student):
    """With an upstream gradient of -4.5, each factor gets the other one times -4.5, and in c * d, with the same
    numbers, times its own, 2.
    """
    a, b, c, d = student.leaves(a=5.0, b=0.5, c=5.0, d=0.5)
    first, second = a * b, c * d
    first.grad, second.grad = -4.5, 2.0
    first._backward()
    second._backward()
    assert (a.grad, b.grad) == approx((-2.25, -22.5))
    assert (c.grad, d.grad) == approx((1.0, 10.0))


def test_numbers_that_stay(student):
    """L = a * b has the product as data, with its fraction; a.data, b.data and L.grad stay as they are."""
    a, b = student.leaves(a=0.25, b=-3.0)
    L = a * b
    L.grad = 2.0
    L._backward()
    assert L.data == approx(-0.75)
    assert (a.data, b.data) == approx((0.25, -3.0))
    assert L.grad == approx(2.0)


def test_children(student):
    """L = a * b still remembers the Values a and b, as on day 1, also where both are 0."""
    a, b, c, d = student.leaves(a=2.0, b=-3.0, c=0.0, d=0.0)
    L, zero = a * b, c * d
    if isinstance(getattr(L, "_prev", None), set | tuple | list):
        assert_made_from(L, a, b)
        assert_made_from(zero, c, d)
        return
    L.grad = zero.grad = 1.0  # kept in another way: what it hands on arrives at these very Values
    L._backward()
    zero._backward()
    assert (a.grad, b.grad, c.grad, d.grad) == approx((-3.0, 2.0, 0.0, 0.0))


def test_a_factor_of_zero(student):
    """In L = a * b with b = 0, a.grad is 0 and b.grad is a's value."""
    a, b = student.leaves(a=4.0, b=0.0)
    L = a * b
    L.grad = 1.0
    L._backward()
    assert a.grad == approx(0.0)
    assert b.grad == approx(4.0)


def test_two_in_a_row(student):
    """In (a * b) * c each leaf gets the product of the other two, once the inner product is called too."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    inner = a * b
    L = inner * c
    L.grad = 1.0
    L._backward()
    inner._backward()
    assert (a.grad, b.grad, c.grad) == approx((-30.0, 20.0, -6.0))


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


def test_fraction(student):
    """The number may be a fraction: a * 0.5 and -2.5 * b."""
    a, b = student.leaves(a=3.0, b=4.0)
    right, left = a * 0.5, -2.5 * b
    right.grad = 1.0
    right._backward()
    left.grad = 2.0
    left._backward()
    assert right.data == approx(1.5)
    assert left.data == approx(-10.0)
    assert a.grad == approx(0.5)
    assert b.grad == approx(-5.0)


def test_large(student):
    """In L = a * b with a = 500000, b = -4 and an upstream gradient of 2000, nothing is cut off."""
    a, b = student.leaves(a=500000.0, b=-4.0)
    L = a * b
    L.grad = 2000.0
    L._backward()
    assert L.data == approx(-2000000.0)
    assert (a.grad, b.grad) == approx((-8000.0, 1e9))
