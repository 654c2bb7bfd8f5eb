"""-, / and negation: values and slopes, with numbers on either side."""

from pytest import approx

from grader.autograd import value_and_slopes


def test_difference(student):
    """In L = a - b the slope for the subtrahend is -1."""
    a, b = student.leaves(a=2.0, b=5.5)
    L = a - b
    assert value_and_slopes(student, L, a=a, b=b) == approx((-3.5, 1.0, -1.0))


def test_differences(student):
    """In L = a - (b - c) the sign turns twice for c."""
    a, b, c = student.leaves(a=2.0, b=5.0, c=0.5)
    L = a - (b - c)
    assert value_and_slopes(student, L, a=a, b=b, c=c) == approx((-2.5, 1.0, -1.0, 1.0))


def test_equal_numbers(student):
    """In L = (a - b) - (c - d), c and d have slopes of their own, though they hold the numbers of a and b."""
    a, b, c, d = student.leaves(a=2.0, b=3.0, c=2.0, d=3.0)
    L = (a - b) - (c - d)
    assert value_and_slopes(student, L, a=a, b=b, c=c, d=d) == approx((0.0, 1.0, -1.0, -1.0, 1.0))


def test_number_minus(student):
    """In L = 5 - a with a = 3.5, L is 1.5 and the slope is -1."""
    (a,) = student.leaves(a=3.5)
    L = 5 - a
    assert value_and_slopes(student, L, a=a) == approx((1.5, -1.0))


def test_minus_number(student):
    """In L = a - 1 the slope is 1."""
    (a,) = student.leaves(a=4.5)
    L = a - 1
    assert value_and_slopes(student, L, a=a) == approx((3.5, 1.0))


def test_with_itself(student):
    """For every a, a - a is 0 and a / a is 1, so both have the slope 0."""
    (a,) = student.leaves(a=-4.0)
    assert value_and_slopes(student, a - a, a=a) == approx((0.0, 0.0))
    assert value_and_slopes(student, a / a, a=a) == approx((1.0, 0.0))


def test_negative(student):
    """In b = -a, c = -b, L = -c the sign turns three times."""
    (a,) = student.leaves(a=4.5)
    b = -a
    c = -b
    L = -c
    assert value_and_slopes(student, L, a=a) == approx((-4.5, -1.0))


def test_quotient(student):
    """In L = a / b with a = 3 and b = 2, the slopes are 0.5 for a and -0.75 for b."""
    a, b = student.leaves(a=3.0, b=2.0)
    L = a / b
    assert value_and_slopes(student, L, a=a, b=b) == approx((1.5, 0.5, -0.75))


def test_quotients(student):
    """In L = a / (b / c) every slope passes through the outer quotient."""
    a, b, c = student.leaves(a=3.0, b=-2.0, c=0.5)
    L = a / (b / c)
    assert value_and_slopes(student, L, a=a, b=b, c=c) == approx((-0.75, -0.25, -0.375, -1.5))


def test_number_divided(student):
    """In L = 8 / a with a = 2, L is 4 and the slope is -2."""
    (a,) = student.leaves(a=2.0)
    L = 8 / a
    assert value_and_slopes(student, L, a=a) == approx((4.0, -2.0))


def test_divided_by_number(student):
    """In L = a / 4 with a = 2, the slope is 0.25."""
    (a,) = student.leaves(a=2.0)
    L = a / 4
    assert value_and_slopes(student, L, a=a) == approx((0.5, 0.25))


def test_large(student):
    """With a = 500000 and b = -0.004, nothing of a - b, a / b and -a is cut off."""
    a, b = student.leaves(a=500000.0, b=-0.004)
    assert value_and_slopes(student, a - b, a=a, b=b) == approx((500000.004, 1.0, -1.0))
    assert value_and_slopes(student, a / b, a=a, b=b) == approx((-1.25e8, -250.0, -3.125e10))
    assert value_and_slopes(student, -a, a=a) == approx((-500000.0, -1.0))
    assert (a.data, b.data) == approx((500000.0, -0.004))
