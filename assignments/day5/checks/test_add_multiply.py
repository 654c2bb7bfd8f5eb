"""+ and ×: values and slopes, with numbers on either side."""

from pytest import approx

from grader.autograd import value_and_slopes


def test_sum(student):
    """In L = (a + b) + (c + d) all four slopes are 1; a and c are two leaves though they hold the same number."""
    a, b, c, d = student.leaves(a=2.5, b=-3.25, c=2.5, d=-3.25)
    L = (a + b) + (c + d)
    assert value_and_slopes(student, L, a=a, b=b, c=c, d=d) == approx((-1.5, 1.0, 1.0, 1.0, 1.0))


def test_product(student):
    """In L = (a * b) * (c * d) each slope is the product of the other three, also where numbers are equal."""
    a, b, c, d = student.leaves(a=5.0, b=-0.5, c=5.0, d=-0.5)
    L = (a * b) * (c * d)
    assert value_and_slopes(student, L, a=a, b=b, c=c, d=d) == approx((6.25, 1.25, -12.5, 1.25, -12.5))


def test_numbers(student):
    """A plain number may stand on either side: 4 + (a + 4) and 0.5 * (b * 3)."""
    a, b = student.leaves(a=2.5, b=-1.0)
    L, M = 4 + (a + 4), 0.5 * (b * 3)
    assert value_and_slopes(student, L, a=a) == approx((10.5, 1.0))
    assert value_and_slopes(student, M, b=b) == approx((-1.5, 1.5))


def test_used_again(student):
    """In L = a * b + a, the slope for a adds up over both uses."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a * b + a
    assert value_and_slopes(student, L, a=a, b=b) == approx((-4.0, -2.0, 2.0))


def test_large(student):
    """With a = 500000 and b = -4, nothing of a + b and a * b is cut off."""
    a, b = student.leaves(a=500000.0, b=-4.0)
    assert value_and_slopes(student, a + b, a=a, b=b) == approx((499996.0, 1.0, 1.0))
    assert value_and_slopes(student, a * b, a=a, b=b) == approx((-2000000.0, -4.0, 500000.0))
    assert (a.data, b.data) == (500000.0, -4.0)
