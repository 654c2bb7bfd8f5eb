"""The upstream gradient passes where the input of relu is positive, and nothing passes where it is not."""

from pytest import approx


def test_open(student):
    """A relu of 2 is 2, with a slope of 1."""
    (a,) = student.leaves(a=2.0)
    L = a.relu()
    L.backward()
    assert (L.data, a.grad) == approx((2.0, 1.0))


def test_closed(student):
    """A relu of -3 is 0, with a slope of 0."""
    (a,) = student.leaves(a=-3.0)
    L = a.relu()
    L.backward()
    assert (L.data, a.grad) == approx((0.0, 0.0))
    assert a.data == approx(-3.0)


def test_upstream(student):
    """-4 * relu(a): whether relu is open depends on its input, not on the upstream gradient."""
    (a,) = student.leaves(a=0.5)
    L = -4 * a.relu()
    L.backward()
    assert (L.data, a.grad) == approx((-2.0, -4.0))


def test_behind_a_product(student):
    """In L = relu(s) + relu(s) with s = 3 * a, both hand on to s, and s to a."""
    (a,) = student.leaves(a=2.0)
    s = 3 * a
    L = s.relu() + s.relu()
    L.backward()
    assert L.data == approx(12.0)
    assert (s.grad, a.grad) == approx((2.0, 6.0))


def test_beside_its_input(student):
    """In relu(a) + a the input collects both contributions."""
    a, b = student.leaves(a=2.0, b=-3.0)
    for leaf in (a, b):
        L = leaf.relu() + leaf
        L.backward()
    assert (a.grad, b.grad) == approx((2.0, 1.0))
