"""Powers with a constant exponent: whole, negative, fractions."""

from pytest import approx

from grader.autograd import value_and_slopes


def test_square(student):
    """In L = a**2 with a = 3, the slope is 6."""
    (a,) = student.leaves(a=3.0)
    L = a**2
    assert value_and_slopes(student, L, a=a) == approx((9.0, 6.0))


def test_power_of_power(student):
    """In L = (a**2)**3 with a = 2, L is 64, and its slope is 48 for the square and 192 for a."""
    (a,) = student.leaves(a=2.0)
    b = a**2
    L = b**3
    assert value_and_slopes(student, L, b=b) == approx((64.0, 48.0))
    assert value_and_slopes(student, L, a=a) == approx((64.0, 192.0))


def test_negative_exponent(student):
    """In L = a**-1 with a = 2, the slope is -0.25."""
    (a,) = student.leaves(a=2.0)
    L = a**-1
    assert value_and_slopes(student, L, a=a) == approx((0.5, -0.25))


def test_root(student):
    """In L = a**0.5 with a = 4, the slope is 0.25."""
    (a,) = student.leaves(a=4.0)
    L = a**0.5
    assert value_and_slopes(student, L, a=a) == approx((2.0, 0.25))


def test_negative_base(student):
    """In L = a**3 with a = -1.5, the slope is 6.75."""
    (a,) = student.leaves(a=-1.5)
    L = a**3
    assert value_and_slopes(student, L, a=a) == approx((-3.375, 6.75))


def test_far(student):
    """In a**n for small and large numbers and exponents the same rule holds."""
    for number, n in (
        (0.02, 2),
        (0.02, -2),
        (-60.0, 3),
        (300.0, 2),
        (300.0, -1),
        (1.5, 10),
        (2.0, -6),
        (2500.0, 0.5),
    ):
        (a,) = student.leaves(a=number)
        assert value_and_slopes(student, a**n, a=a) == approx((number**n, n * number ** (n - 1)))
        assert a.data == approx(number)
