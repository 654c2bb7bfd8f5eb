"""+ copies: both inputs get the upstream gradient as it is."""

from pytest import approx

from grader.autograd import assert_made_from


def test_both_inputs(student):
    """L = a + b is a Value; with an upstream gradient of 1, both gradients are 1."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a + b
    L.grad = 1.0
    L._backward()
    assert L.data == approx(-1.0)
    assert a.grad == approx(1.0)
    assert b.grad == approx(1.0)


def test_upstream(student):
    """In L = a + b with a = 0 and an upstream gradient of 4, both gradients are 4."""
    a, b = student.leaves(a=0.0, b=7.0)
    L = a + b
    L.grad = 4.0
    L._backward()
    assert a.grad == approx(4.0)
    assert b.grad == approx(4.0)


def test_negative_upstream(student):
    """An upstream gradient of -4.5 keeps its sign and its fraction, and c + d with the same numbers has its own, 2."""
    a, b, c, d = student.leaves(a=0.5, b=7.0, c=0.5, d=7.0)
    first, second = a + b, c + d
    first.grad, second.grad = -4.5, 2.0
    first._backward()
    second._backward()
    assert (a.grad, b.grad) == approx((-4.5, -4.5))
    assert (c.grad, d.grad) == approx((2.0, 2.0))


def test_numbers_that_stay(student):
    """L = a + b has the sum as data, with its fraction; a.data, b.data and L.grad stay as they are."""
    a, b = student.leaves(a=0.25, b=-3.5)
    L = a + b
    L.grad = 2.0
    L._backward()
    assert L.data == approx(-3.25)
    assert (a.data, b.data) == approx((0.25, -3.5))
    assert L.grad == approx(2.0)


def test_children(student):
    """L = a + b still remembers the Values a and b, as on day 1, also where both are 0."""
    a, b, c, d = student.leaves(a=2.0, b=-3.0, c=0.0, d=0.0)
    L, zero = a + b, c + d
    if isinstance(getattr(L, "_prev", None), set | tuple | list):
        assert_made_from(L, a, b)
        assert_made_from(zero, c, d)
        return
    L.grad = zero.grad = 1.0  # kept in another way: what it hands on arrives at these very Values
    L._backward()
    zero._backward()
    assert (a.grad, b.grad, c.grad, d.grad) == approx((1.0, 1.0, 1.0, 1.0))


def test_two_in_a_row(student):
    """In (a + b) + c with an upstream gradient of 3, each leaf gets 3, once the inner sum is called too."""
    a, b, c = student.leaves(a=2.0, b=-3.0, c=10.0)
    inner = a + b
    L = inner + c
    L.grad = 3.0
    L._backward()
    inner._backward()
    assert (a.grad, b.grad, c.grad) == approx((3.0, 3.0, 3.0))


def test_constant(student):
    """A number may stand on either side: a + 1 and 1 + b. Both are new Values: a.data and b.data stay 2 and 4."""
    a, b = student.leaves(a=2.0, b=4.0)
    right, left = a + 1, 1 + b
    right.grad = 3.0
    right._backward()
    left.grad = 5.0
    left._backward()
    assert (a.data, b.data) == approx((2.0, 4.0))
    assert right.data == approx(3.0)
    assert left.data == approx(5.0)
    assert a.grad == approx(3.0)
    assert b.grad == approx(5.0)


def test_fraction(student):
    """The number may be a fraction: a + 0.5 and -2.5 + b."""
    a, b = student.leaves(a=2.0, b=4.0)
    right, left = a + 0.5, -2.5 + b
    right.grad = 3.0
    right._backward()
    left.grad = 5.0
    left._backward()
    assert (a.data, b.data) == approx((2.0, 4.0))
    assert right.data == approx(2.5)
    assert left.data == approx(1.5)
    assert a.grad == approx(3.0)
    assert b.grad == approx(5.0)


def test_large(student):
    """In L = a + b with a = 500000, b = -4 and an upstream gradient of 2000, nothing is cut off."""
    a, b = student.leaves(a=500000.0, b=-4.0)
    L = a + b
    L.grad = 2000.0
    L._backward()
    assert L.data == approx(499996.0)
    assert (a.grad, b.grad) == approx((2000.0, 2000.0))
