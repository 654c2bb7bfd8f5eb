"""f = relu(a·b + d): its gradients on paper and in the engine."""

from pytest import approx


def test_lesson(student):
    """The relu sum of the lesson, in the student's own engine."""
    a, b, d = student.leaves(a=2.0, b=-3.0, d=10.0)
    c = a * b
    e = c + d
    f = e.relu()
    f.backward()
    assert (f.data, f.grad, e.grad, c.grad) == approx((4.0, 1.0, 1.0, 1.0))
    assert (a.grad, b.grad, d.grad) == approx((-3.0, 2.0, 1.0))


def test_random(student, rng):
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
