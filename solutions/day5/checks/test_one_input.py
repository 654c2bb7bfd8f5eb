"""exp, tanh and relu: one input, one local gradient, times upstream."""

import math

from pytest import approx


def test_exp(student, rng):
    """exp of exp, at a random value."""
    x = rng.uniform(-1.5, -0.3)
    (a,) = student.leaves(a=x)
    inner = a.exp()
    y = inner.exp()
    y.backward()
    e = math.exp(x)
    assert isinstance(y, student.Value)
    assert (y.data, inner.grad, a.grad) == approx((math.exp(e), math.exp(e), math.exp(e) * e))


def test_exp_used_again(student, rng):
    """exp twice in one graph, and the value itself."""
    x, k = rng.uniform(0.3, 1.5), rng.uniform(2, 3)
    (a,) = student.leaves(a=x)
    y = k * a.exp() * a
    y.backward()
    assert (y.data, a.grad) == approx((k * x * math.exp(x), k * (x + 1) * math.exp(x)))


def test_tanh(student, rng):
    """tanh of tanh, at a random value."""
    x = rng.uniform(-1.5, -0.5)
    (a,) = student.leaves(a=x)
    inner = a.tanh()
    y = inner.tanh()
    y.backward()
    t = math.tanh(x)
    u = math.tanh(t)
    assert isinstance(y, student.Value)
    assert (y.data, inner.grad, a.grad) == approx((u, 1 - u * u, (1 - u * u) * (1 - t * t)))


def test_tanh_used_again(student, rng):
    """tanh with an upstream gradient, and the value itself."""
    x, k = rng.uniform(0.3, 1.5), rng.uniform(-3, -2)
    (a,) = student.leaves(a=x)
    y = k * a.tanh() * a
    y.backward()
    t = math.tanh(x)
    assert (y.data, a.grad) == approx((k * x * t, k * (t + x * (1 - t * t))))


def test_relu(student, rng):
    """relu of relu on either side of 0, with upstream gradients of either sign."""
    x, y, k = rng.uniform(0.3, 0.9), rng.uniform(-4, -2), rng.uniform(-3, -2)
    a, b, c = student.leaves(a=x, b=y, c=y)
    rows = [k * a.relu().relu() + a, k * b.relu().relu() + b, (k * c).relu() * 2]
    for row in rows:
        row.backward()
    assert [row.data for row in rows] == approx([k * x + x, y, 2 * k * y])
    assert (a.grad, b.grad, c.grad) == approx((k + 1, 1.0, 2 * k))


def test_relu_chain(student):
    """In y = relu(3 * x**2) with x = 2, y and x.grad are both 12."""
    (x,) = student.leaves(x=2.0)
    y = (3 * x**2).relu()
    y.backward()
    assert (y.data, x.grad) == approx((12.0, 12.0))


def test_relu_sum(student):
    """The relu sum of the lesson, in the student's own engine."""
    a, b, d = student.leaves(a=2.0, b=-3.0, d=10.0)
    c = a * b
    e = c + d
    f = e.relu()
    f.backward()
    assert (f.data, f.grad, e.grad, c.grad) == approx((4.0, 1.0, 1.0, 1.0))
    assert (a.grad, b.grad, d.grad) == approx((-3.0, 2.0, 1.0))


def test_relu_sums(student, rng):
    """Random leaves, once alive with an upstream gradient, once dead."""
    x, y, k = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(2, 3)
    a, b, d = student.leaves(a=x, b=y, d=20.0)
    alive = (a * b + d).relu() * k
    alive.backward()
    assert alive.data == approx(k * (x * y + 20))
    assert (a.grad, b.grad, d.grad) == approx((k * y, k * x, k))
    a, b, d = student.leaves(a=x, b=y, d=1.0)
    dead = (a * b + d).relu() * k + d
    dead.backward()
    assert dead.data == approx(1.0)
    assert (a.grad, b.grad, d.grad) == approx((0.0, 0.0, 1.0))


def test_relu_at_zero(student):
    """At exactly 0 any slope from 0 to 1 will do."""
    (x,) = student.leaves(x=0.0)
    y = x.relu() + 3 * x
    y.backward()
    assert y.data == approx(0.0)
    assert 3.0 <= x.grad <= 4.0
