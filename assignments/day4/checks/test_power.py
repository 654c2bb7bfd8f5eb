"""** with a constant power: n times the value to the power of n - 1."""

from pytest import approx

from grader.autograd import hand_on


def test_cube(student):
    """The cube a ** 3 at 2 is 8, with a slope of 12; times the upstream gradient, -4, it is added to the 10 that is there."""
    (a,) = student.leaves(a=2.0)
    a.grad = 10.0
    L = a**3
    hand_on(student, L, -4.0)
    assert (L.data, a.grad) == approx((8.0, -38.0))


def test_power_of_a_power(student):
    """(a ** 2) ** 3: the upstream gradient of the inner power is not 1."""
    (a,) = student.leaves(a=2.0)
    s = a**2
    a.grad = s.grad = 0.0
    L = s**3
    hand_on(student, L)
    assert (L.data, s.grad, a.grad) == approx((64.0, 48.0, 192.0))


def test_negative_power(student):
    """The power a ** -1 is one over a, with a slope of minus one over a squared."""
    (a,) = student.leaves(a=4.0)
    a.grad = 0.0
    L = a**-1
    hand_on(student, L)
    assert (L.data, a.grad) == approx((0.25, -0.0625))


def test_fraction(student):
    """The square of a fraction, a ** 2 at 1.5, with an upstream gradient of 0.5."""
    (a,) = student.leaves(a=1.5)
    a.grad = 0.0
    L = a**2
    hand_on(student, L, 0.5)
    assert (L.data, a.grad) == approx((2.25, 1.5))


def test_root(student):
    """The power a ** 0.5 is the square root."""
    (a,) = student.leaves(a=9.0)
    a.grad = 0.0
    L = a**0.5
    hand_on(student, L)
    assert (L.data, a.grad) == approx((3.0, 1 / 6))


def test_far(student):
    """In a ** n for small and large numbers and exponents the same rule holds. The upstream gradient is 1000."""
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
        a.grad = 0.0
        L = a**n
        hand_on(student, L, 1000.0)
        assert (L.data, a.grad) == approx((number**n, 1000 * n * number ** (n - 1)))
        assert a.data == approx(number)
