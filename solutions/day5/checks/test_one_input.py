"""exp, tanh and relu: one input, one local gradient."""

import math

from pytest import approx

from grader.autograd import value_and_slopes


def test_exp(student, rng):
    """exp of exp, at a random value."""
    x = rng.uniform(-1.5, -0.3)
    (a,) = student.leaves(a=x)
    inner = a.exp()
    y = inner.exp()
    e = math.exp(x)
    assert value_and_slopes(student, y, inner=inner) == approx((math.exp(e), math.exp(e)))
    assert value_and_slopes(student, y, a=a) == approx((math.exp(e), math.exp(e) * e))


def test_exp_again(student, rng):
    """exp at equal numbers of some size, and at 0."""
    x = rng.uniform(3, 5)
    a, b, c = student.leaves(a=x, b=x, c=0.0)
    assert value_and_slopes(student, a.exp(), a=a) == approx((math.exp(x), math.exp(x)))
    assert value_and_slopes(student, b.exp(), b=b) == approx((math.exp(x), math.exp(x)))
    assert value_and_slopes(student, c.exp(), c=c) == approx((1.0, 1.0))


def test_tanh(student, rng):
    """tanh of tanh, at a random value."""
    x = rng.uniform(-1.5, -0.5)
    (a,) = student.leaves(a=x)
    inner = a.tanh()
    y = inner.tanh()
    t = math.tanh(x)
    u = math.tanh(t)
    assert value_and_slopes(student, y, inner=inner) == approx((u, 1 - u * u))
    assert value_and_slopes(student, y, a=a) == approx((u, (1 - u * u) * (1 - t * t)))


def test_tanh_again(student, rng):
    """tanh at equal numbers and at 0."""
    x = rng.uniform(0.3, 1.2)
    a, b, c = student.leaves(a=x, b=x, c=0.0)
    t = math.tanh(x)
    assert value_and_slopes(student, a.tanh(), a=a) == approx((t, 1 - t * t))
    assert value_and_slopes(student, b.tanh(), b=b) == approx((t, 1 - t * t))
    assert value_and_slopes(student, c.tanh(), c=c) == approx((0.0, 1.0))


def test_relu(student, rng):
    """relu of relu on either side of 0, at equal numbers, far above and just above and below 0."""
    x, y, z = rng.uniform(0.3, 0.9), rng.uniform(-4, -2), rng.uniform(40, 60)
    a, b, c, d = student.leaves(a=x, b=y, c=x, d=z)
    assert value_and_slopes(student, a.relu().relu(), a=a) == approx((x, 1.0))
    assert value_and_slopes(student, b.relu().relu(), b=b) == approx((0.0, 0.0))
    assert value_and_slopes(student, c.relu(), c=c) == approx((x, 1.0))
    assert value_and_slopes(student, d.relu(), d=d) == approx((z, 1.0))
    a, b = student.leaves(a=0.01, b=-0.01)
    assert value_and_slopes(student, a.relu(), a=a) == approx((0.01, 1.0))
    assert value_and_slopes(student, b.relu(), b=b) == approx((0.0, 0.0))


def test_relu_at_zero(student):
    """At exactly 0 any slope from 0 to 1 will do."""
    (x,) = student.leaves(x=0.0)
    value, slope = value_and_slopes(student, x.relu(), x=x)
    assert value == approx(0.0)
    assert 0.0 <= slope <= 1.0


def test_exp_far(student, rng):
    """exp far from 0."""
    for number in (rng.uniform(-14, -10), rng.uniform(30, 80)):
        (x,) = student.leaves(x=number)
        assert value_and_slopes(student, x.exp(), x=x) == approx((math.exp(number), math.exp(number)))


def test_tanh_far(student, rng):
    """tanh far from 0."""
    for number in (rng.uniform(-5, -2), rng.uniform(2, 5), rng.uniform(15, 40)):
        (x,) = student.leaves(x=number)
        t = math.tanh(number)
        assert value_and_slopes(student, x.tanh(), x=x) == approx((t, 1 - t * t), abs=1e-6)


def test_relu_far(student, rng):
    """relu far from 0."""
    for number in (rng.uniform(-9000, -2000), rng.uniform(20000, 90000)):
        (x,) = student.leaves(x=number)
        assert value_and_slopes(student, x.relu(), x=x) == approx((max(number, 0.0), float(number > 0)))


def test_input_stays(student, rng):
    """exp, tanh and relu do not change the data of their input, nor its gradient."""
    x = rng.uniform(0.3, 0.9)
    (a,) = student.leaves(a=x)
    a.grad = 7.0
    assert (a.exp().data, a.tanh().data, a.relu().data) == approx((math.exp(x), math.tanh(x), x))
    assert (a.data, a.grad) == approx((x, 7.0))
