"""The upstream gradient passes where the input of relu is positive, and nothing passes where it is not."""

from pytest import approx

from grader.autograd import hand_on


def test_open(student):
    """A relu of 2 is 2, with a slope of 1."""
    (a,) = student.leaves(a=2.0)
    a.grad = 0.0
    L = a.relu()
    hand_on(student, L)
    assert (L.data, a.grad) == approx((2.0, 1.0))


def test_closed(student):
    """A relu of -3 is 0, with a slope of 0."""
    (a,) = student.leaves(a=-3.0)
    a.grad = 0.0
    L = a.relu()
    hand_on(student, L)
    assert (L.data, a.grad) == approx((0.0, 0.0))
    assert a.data == approx(-3.0)


def test_upstream(student):
    """Whether relu is open depends on its input, here 0.5 and -0.5, not on the upstream gradient, -4."""
    a, b = student.leaves(a=0.5, b=-0.5)
    a.grad = b.grad = 10.0
    L, M = a.relu(), b.relu()
    hand_on(student, L, -4.0)
    hand_on(student, M, -4.0)
    assert (L.data, M.data) == approx((0.5, 0.0))
    assert (a.grad, b.grad) == approx((6.0, 10.0))


def test_large_inputs(student):
    """A relu stays open however large its input is: at 8 and at 2500."""
    a, b = student.leaves(a=8.0, b=2500.0)
    a.grad = b.grad = 10.0
    L, M = a.relu(), b.relu()
    hand_on(student, L, 3.0)
    hand_on(student, M, 0.5)
    assert (L.data, M.data) == approx((8.0, 2500.0))
    assert (a.grad, b.grad) == approx((13.0, 10.5))


def test_twice_in_a_row(student):
    """In relu(relu(a)) the inner relu hands on what the outer one gave it."""
    (a,) = student.leaves(a=2.0)
    inner = a.relu()
    a.grad = inner.grad = 0.0
    L = inner.relu()
    hand_on(student, L, -1.5)
    assert L.data == approx(2.0)
    assert (inner.grad, a.grad) == approx((-1.5, -1.5))


def test_far(student):
    """At -30, -8, -0.01, 0.01, 40 and 90000 the same rule holds. The upstream gradient is 1000."""
    for number in (-30.0, -8.0, -0.01, 0.01, 40.0, 90000.0):
        (a,) = student.leaves(a=number)
        a.grad = 0.0
        L = a.relu()
        hand_on(student, L, 1000.0)
        assert (L.data, a.grad) == approx((max(number, 0.0), 1000 * (number > 0)))
        assert a.data == approx(number)
