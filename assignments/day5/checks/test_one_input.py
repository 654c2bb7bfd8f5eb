"""exp, tanh and relu: one input, one local gradient."""

import math

from pytest import approx

from grader.autograd import value_and_slopes


def test_exp(student):
    """In y = x.exp() with x = 0.5, y and its slope are both 1.6487."""
    (x,) = student.leaves(x=0.5)
    y = x.exp()
    assert value_and_slopes(student, y, x=x) == approx((1.6487212707, 1.6487212707))


def test_exp_of_exp(student):
    """In y = x.exp().exp() with x = -1, y is 1.4447 and its slope 0.5315."""
    (x,) = student.leaves(x=-1.0)
    y = x.exp().exp()
    assert value_and_slopes(student, y, x=x) == approx((1.4446678610, 0.5314636054))


def test_tanh(student):
    """In y = x.tanh() with x = 0.5, the slope is 0.7864."""
    (x,) = student.leaves(x=0.5)
    y = x.tanh()
    assert value_and_slopes(student, y, x=x) == approx((0.4621171573, 0.7864477330))


def test_tanh_of_tanh(student):
    """In y = x.tanh().tanh() with x = -0.8, the slope is 0.3703."""
    (x,) = student.leaves(x=-0.8)
    y = x.tanh().tanh()
    assert value_and_slopes(student, y, x=x) == approx((-0.5810435945, 0.3703116252))


def test_relu(student):
    """Where x is positive, x.relu() is x and its slope 1, also for a small and a large x."""
    a, b, c = student.leaves(a=0.5, b=7.5, c=900.0)
    assert value_and_slopes(student, a.relu(), a=a) == approx((0.5, 1.0))
    assert value_and_slopes(student, b.relu(), b=b) == approx((7.5, 1.0))
    assert value_and_slopes(student, c.relu(), c=c) == approx((900.0, 1.0))


def test_dead_relu(student):
    """Where x is negative, x.relu() is 0, and so is its slope."""
    a, b = student.leaves(a=-0.1, b=-40.0)
    assert value_and_slopes(student, a.relu(), a=a) == approx((0.0, 0.0))
    assert value_and_slopes(student, b.relu(), b=b) == approx((0.0, 0.0))


def test_relu_at_zero(student):
    """In y = x.relu() with x = 0, y is 0, and the slope is 0 or 1."""
    (x,) = student.leaves(x=0.0)
    value, slope = value_and_slopes(student, x.relu(), x=x)
    assert value == approx(0.0)
    assert 0.0 <= slope <= 1.0


def test_exp_far(student):
    """In y = x.exp() with x = -8, 4, 9 or 20 the same rule holds."""
    for number in (-8.0, 4.0, 9.0, 20.0):
        (x,) = student.leaves(x=number)
        assert value_and_slopes(student, x.exp(), x=x) == approx((math.exp(number), math.exp(number)))
        assert x.data == approx(number)


def test_tanh_far(student):
    """In y = x.tanh() with x = -30, -4, 0.01, 3 or 20 the same rule holds."""
    for number in (-30.0, -4.0, 0.01, 3.0, 20.0):
        (x,) = student.leaves(x=number)
        t = math.tanh(number)
        assert value_and_slopes(student, x.tanh(), x=x) == approx((t, 1 - t * t), abs=1e-6)
        assert x.data == approx(number)


def test_relu_far(student):
    """In y = x.relu() with x = -9000, -0.01, 0.01 or 90000 the same rule holds."""
    for number in (-9000.0, -0.01, 0.01, 90000.0):
        (x,) = student.leaves(x=number)
        assert value_and_slopes(student, x.relu(), x=x) == approx((max(number, 0.0), float(number > 0)))
        assert x.data == approx(number)
