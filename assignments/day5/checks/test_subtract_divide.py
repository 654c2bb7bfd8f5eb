"""-, / and negation: values and gradients, with numbers on either side."""

from pytest import approx


def test_difference(student):
    """In L = a - b the subtrahend's gradient is -1."""
    a, b = student.leaves(a=2.0, b=5.5)
    L = a - b
    L.backward()
    assert L.data == approx(-3.5)
    assert (a.grad, b.grad) == approx((1.0, -1.0))


def test_differences(student):
    """In L = a - (b - c) the sign turns twice for c."""
    a, b, c = student.leaves(a=2.0, b=5.0, c=0.5)
    L = a - (b - c)
    L.backward()
    assert L.data == approx(-2.5)
    assert (a.grad, b.grad, c.grad) == approx((1.0, -1.0, 1.0))


def test_used_again(student):
    """In L = a * (a - b) with a = 2 and b = 3, a.grad is 1 and b.grad is -2."""
    a, b = student.leaves(a=2.0, b=3.0)
    L = a * (a - b)
    L.backward()
    assert L.data == approx(-2.0)
    assert (a.grad, b.grad) == approx((1.0, -2.0))


def test_number_minus(student):
    """In L = 5 - a with a = 3.5, L is 1.5 and a.grad is -1."""
    (a,) = student.leaves(a=3.5)
    L = 5 - a
    L.backward()
    assert (L.data, a.grad) == approx((1.5, -1.0))


def test_minus_number(student):
    """In L = a - 1, a.grad is 1."""
    (a,) = student.leaves(a=4.5)
    L = a - 1
    L.backward()
    assert (L.data, a.grad) == approx((3.5, 1.0))


def test_minus_itself(student):
    """The difference a - a is 0 for every a: in L = (a - a) + 2 * a, a.grad is 2."""
    (a,) = student.leaves(a=1.5)
    L = (a - a) + 2 * a
    L.backward()
    assert (L.data, a.grad) == approx((3.0, 2.0))


def test_divided_by_itself(student):
    """The quotient a / a is 1 for every a: in L = a / a + 5 * a, a.grad is 5."""
    (a,) = student.leaves(a=-4.0)
    L = a / a + 5 * a
    L.backward()
    assert (L.data, a.grad) == approx((-19.0, 5.0))


def test_negative(student):
    """In b = -a, c = -b, L = -c the sign turns three times."""
    (a,) = student.leaves(a=4.5)
    b = -a
    c = -b
    L = -c
    L.backward()
    assert (L.data, a.grad) == approx((-4.5, -1.0))


def test_quotient(student):
    """In L = a / b with a = 3 and b = 2, a.grad is 0.5 and b.grad is -0.75."""
    a, b = student.leaves(a=3.0, b=2.0)
    L = a / b
    L.backward()
    assert L.data == approx(1.5)
    assert (a.grad, b.grad) == approx((0.5, -0.75))


def test_quotients(student):
    """In L = a / (b / c) every gradient passes through the outer quotient."""
    a, b, c = student.leaves(a=3.0, b=-2.0, c=0.5)
    L = a / (b / c)
    L.backward()
    assert L.data == approx(-0.75)
    assert (a.grad, b.grad, c.grad) == approx((-0.25, -0.375, -1.5))


def test_number_divided(student):
    """In L = 8 / a with a = 2, L is 4 and a.grad is -2."""
    (a,) = student.leaves(a=2.0)
    L = 8 / a
    L.backward()
    assert (L.data, a.grad) == approx((4.0, -2.0))


def test_divided_by_number(student):
    """In L = a / 4 with a = 2, a.grad is 0.25."""
    (a,) = student.leaves(a=2.0)
    L = a / 4
    L.backward()
    assert (L.data, a.grad) == approx((0.5, 0.25))
