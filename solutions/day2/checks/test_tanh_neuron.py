"""tanh: 1 - tanh², times the upstream gradient, through a whole neuron."""

import math

from pytest import approx

from grader.autograd import walk


def test_random(student, rng):
    """A random input and upstream gradient, with a gradient already there."""
    x, g = rng.uniform(-1.5, -0.5), rng.uniform(1.5, 3)
    (a,) = student.leaves(a=x)
    a.grad = 10.0
    o = a.tanh()
    o.grad = g
    o._backward()
    t = math.tanh(x)
    assert isinstance(o, student.Value)
    assert (o.data, o.grad, a.data) == approx((t, g, x))
    assert a.grad == approx(10.0 + g * (1 - t * t))


def test_two_at_once(student):
    """Two tanh made before either is walked: each touches its own input only."""
    a, b = student.leaves(a=0.4, b=-1.1)
    b.grad = 0.0
    first, second = a.tanh(), b.tanh()
    first.grad, second.grad = 8.0, -20.0
    first._backward()
    assert (a.grad, b.grad) == approx((8 * (1 - math.tanh(0.4) ** 2), 0.0))
    second._backward()
    assert b.grad == approx(-20 * (1 - math.tanh(1.1) ** 2))


def test_zero(student):
    """At 0 tanh is 0, and its slope is 1."""
    (a,) = student.leaves(a=0.0)
    a.grad = 0.0
    o = a.tanh()
    o.grad = -2.5
    o._backward()
    assert (o.data, a.grad) == approx((0.0, -2.5))


def test_tanh_of_tanh(student):
    """Twice in a row the slopes multiply."""
    (a,) = student.leaves(a=0.9)
    inner = a.tanh()
    o = inner.tanh()
    walk([o, inner], o, seed=1.5)
    t, u = math.tanh(0.9), math.tanh(math.tanh(0.9))
    assert a.grad == approx(1.5 * (1 - u * u) * (1 - t * t))


def test_neuron(student):
    """The neuron of the lesson."""
    x1, x2, w1, w2, b = student.leaves(x1=2.0, x2=0.0, w1=-3.0, w2=1.0, b=6.8813735870195432)
    left, right = x1 * w1, x2 * w2
    (both,) = student.name(sum=left + right)
    (n,) = student.name(n=both + b)
    (o,) = student.name(o=n.tanh())
    walk([o, n, both, right, left], o)
    assert o.data == approx(0.70710678)
    assert (x1.grad, w1.grad, x2.grad, w2.grad) == approx((-1.5, 1.0, 0.5, 0.0))
    assert (b.grad, n.grad, left.grad, right.grad) == approx((0.5, 0.5, 0.5, 0.5))


def test_one_input_of_two(student):
    """Two tanh of one value, made before either is walked: each hands on a gradient of its own."""
    (a,) = student.leaves(a=0.7)
    a.grad = 0.0
    first, second = a.tanh(), a.tanh()
    first.grad, second.grad = 8.0, -20.0
    first._backward()
    assert a.grad == approx(8 * (1 - math.tanh(0.7) ** 2))
    second._backward()
    assert a.grad == approx(-12 * (1 - math.tanh(0.7) ** 2))
