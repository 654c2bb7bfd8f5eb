"""The upstream gradient passes where the input of relu is positive, and nothing passes where it is not."""

from pytest import approx


def test_random(student, rng):
    """A random positive and a random negative value."""
    x, y = rng.uniform(1.5, 5), rng.uniform(-5, -1.5)
    a, b = student.leaves(a=x, b=y)
    L, M = a.relu(), b.relu()
    L.backward()
    M.backward()
    assert isinstance(L, student.Value)
    assert (L.data, M.data) == approx((x, 0.0))
    assert (a.grad, b.grad) == approx((1.0, 0.0))


def test_at_zero(student):
    """At exactly 0 a slope of 0 and a slope of 1 are both right."""
    (a,) = student.leaves(a=0.0)
    L = a.relu()
    L.backward()
    assert L.data == approx(0.0)
    assert a.grad in (0.0, 1.0)


def test_relu_of_relu(student, rng):
    """Twice in a row changes nothing."""
    x = rng.uniform(0.2, 0.8)
    (a,) = student.leaves(a=x)
    L = a.relu().relu()
    L.backward()
    assert (L.data, a.grad) == approx((x, 1.0))


def test_upstream(student, rng):
    """Upstream gradients of both signs, through an open and a closed relu."""
    x, y = rng.uniform(0.2, 0.8), rng.uniform(-5, -1.5)
    a, b, c, d = student.leaves(a=x, b=y, c=x / 2, d=y / 2)
    L = 3 * a.relu() + 3 * b.relu() + (-2) * c.relu() + (-2) * d.relu()
    L.backward()
    assert L.data == approx(2 * x)
    assert (a.grad, b.grad, c.grad, d.grad) == approx((3.0, 0.0, -2.0, 0.0))


def test_two_of_one(student, rng):
    """In relu(a) + relu(a) the input collects from both."""
    (a,) = student.leaves(a=rng.uniform(0.2, 0.8))
    L = a.relu() + a.relu()
    L.backward()
    assert a.grad == approx(2.0)


def test_through_a_sum(student, rng):
    """relu(a * b + c), open: the gradients of the sum pass unchanged."""
    x, y, z = rng.uniform(1, 2), rng.uniform(-3, -2), rng.uniform(8, 9)
    a, b, c = student.leaves(a=x, b=y, c=z)
    L = (a * b + c).relu()
    L.backward()
    assert (a.grad, b.grad, c.grad) == approx((y, x, 1.0))
