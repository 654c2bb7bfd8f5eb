"""tanh: 1 - tanh², times the upstream gradient, through a whole neuron."""

import math

import pytest
from pytest import approx

from grader.autograd import assert_made_from, walk


def test_value_and_slope(student):
    """In o = x.tanh() with x = 0.5, o is 0.4621, made from x, and x.grad is 0.7864."""
    (x,) = student.leaves(x=0.5)
    o = x.tanh()
    o.grad = 1.0
    o._backward()
    assert o.data == approx(math.tanh(0.5))
    assert x.grad == approx(0.7864477)
    if isinstance(getattr(o, "_prev", None), set | tuple | list):
        assert_made_from(o, x)


def test_upstream(student):
    """In o = x.tanh() with x = 0.5 and an upstream gradient of 2, x.grad is 1.5729."""
    (x,) = student.leaves(x=0.5)
    o = x.tanh()
    o.grad = 2.0
    o._backward()
    assert x.grad == approx(1.5728955)


def test_adds_to_what_is_there(student):
    """In o = x.tanh() with x = -0.8, what x.grad held before stays in it; the upstream gradient is -4.5."""
    (x,) = student.leaves(x=-0.8)
    x.grad = 10.0
    o = x.tanh()
    o.grad = -4.5
    o._backward()
    assert x.grad == approx(10.0 - 4.5 * (1 - math.tanh(-0.8) ** 2))
    assert (o.grad, x.data) == approx((-4.5, -0.8))


def test_twice_in_a_row(student):
    """In o = x.tanh().tanh() with x = 1.1, the two slopes are multiplied."""
    (x,) = student.leaves(x=1.1)
    inner = x.tanh()
    o = inner.tanh()
    walk([o, inner], o)
    t = math.tanh(1.1)
    assert inner.grad == approx(1 - math.tanh(t) ** 2)
    assert x.grad == approx((1 - math.tanh(t) ** 2) * (1 - t**2))


def test_two_at_once(student):
    """x.tanh() and y.tanh(), with x = y = -0.8, are two Values, and each hands its own upstream gradient on."""
    x, y = student.leaves(x=-0.8, y=-0.8)
    first, second = x.tanh(), y.tanh()
    first.grad, second.grad = 2.5, -0.5
    first._backward()
    second._backward()
    slope = 1 - math.tanh(-0.8) ** 2
    assert (x.grad, y.grad) == approx((2.5 * slope, -0.5 * slope))


def test_neuron(student):
    """A neuron with two inputs: every input, weight and the bias get their gradient."""
    x1, x2, w1, w2, b = student.leaves(x1=1.0, x2=-2.0, w1=0.5, w2=0.25, b=0.3)
    left, right = x1 * w1, x2 * w2
    (both,) = student.name(sum=left + right)
    (n,) = student.name(n=both + b)
    (o,) = student.name(o=n.tanh())
    walk([o, n, both, left, right], o)
    slope = 1 - math.tanh(0.3) ** 2
    assert o.data == approx(math.tanh(0.3))
    assert (x1.grad, w1.grad) == approx((0.5 * slope, 1.0 * slope))
    assert (x2.grad, w2.grad) == approx((0.25 * slope, -2.0 * slope))
    assert (b.grad, n.grad) == approx((slope, slope))


def test_neuron_grads(answers):
    """neuron_grads holds the gradients of x1, w1, x2, w2, b and n in the neuron of the lesson."""
    answers.judge("neuron_grads")


@pytest.mark.parametrize("number", [-30.0, -3.0, 0.01, 4.0])
def test_far(student, number):
    """In o = x.tanh() with x = -30, -3, 0.01 or 4 and an upstream gradient of 4: the same rule holds everywhere."""
    (x,) = student.leaves(x=number)
    o = x.tanh()
    o.grad = 4.0
    o._backward()
    assert o.data == approx(math.tanh(number))
    assert x.grad == approx(4 * (1 - math.tanh(number) ** 2))
