"""The upstream gradient passes where the input of relu is positive, and nothing passes where it is not."""

from pytest import approx

from grader.autograd import hand_on


def test_random(student, rng):
    """A random positive and a random negative value."""
    x, y = rng.uniform(1.5, 5), rng.uniform(-5, -1.5)
    a, b = student.leaves(a=x, b=y)
    a.grad = b.grad = 0.0
    L, M = a.relu(), b.relu()
    hand_on(student, L)
    hand_on(student, M)
    assert isinstance(L, student.Value)
    assert (L.data, M.data) == approx((x, 0.0))
    assert (a.grad, b.grad) == approx((1.0, 0.0))


def test_at_zero(student):
    """At exactly 0 a slope of 0 and a slope of 1 are both right."""
    (a,) = student.leaves(a=0.0)
    a.grad = 0.0
    L = a.relu()
    hand_on(student, L)
    assert L.data == approx(0.0)
    assert a.grad in (0.0, 1.0)


def test_relu_of_relu(student, rng):
    """Twice in a row changes nothing, below 1 and far above."""
    x, y = rng.uniform(0.2, 0.8), rng.uniform(50, 5000)
    a, b = student.leaves(a=x, b=y)
    c, d = a.relu(), b.relu()
    a.grad = b.grad = c.grad = d.grad = 0.0
    L, M = c.relu(), d.relu()
    hand_on(student, L)
    hand_on(student, M)
    assert (L.data, M.data) == approx((x, y))
    assert (a.grad, b.grad) == approx((1.0, 1.0))


def test_upstream(student, rng):
    """Upstream gradients of both signs, through an open and a closed relu."""
    x, y = rng.uniform(0.2, 0.8), rng.uniform(-5, -1.5)
    leaves = student.leaves(a=x, b=y, c=x / 2, d=y / 2)
    for leaf, upstream in zip(leaves, (7.5, 3.0, -8.0, -2.0), strict=True):
        leaf.grad = 10.0
        hand_on(student, leaf.relu(), upstream)
    assert [leaf.grad for leaf in leaves] == approx([17.5, 10.0, 2.0, 10.0])


def test_equal_numbers(student, rng):
    """Two relus of equal numbers are two results: each has an input of its own."""
    x = rng.uniform(6.5, 20)
    a, b = student.leaves(a=x, b=x)
    a.grad = b.grad = 10.0
    first, second = a.relu(), b.relu()
    hand_on(student, first, -4.0)
    hand_on(student, second, 0.5)
    assert (a.grad, b.grad) == approx((6.0, 10.5))


def test_far(student, rng):
    """Far from 0, on either side, with a large upstream gradient."""
    for number in (rng.uniform(-9000, -2000), rng.uniform(0.001, 0.01), rng.uniform(20000, 90000)):
        (a,) = student.leaves(a=number)
        a.grad = 0.0
        L = a.relu()
        hand_on(student, L, -400.0)
        assert (L.data, a.grad) == approx((max(number, 0.0), -400 * (number > 0)))


def test_one_value_in_two(student, rng):
    """Two relus of one value: each hands on a gradient of its own."""
    (a,) = student.leaves(a=rng.uniform(6.5, 20))
    a.grad = 10.0
    first, second = a.relu(), a.relu()
    hand_on(student, first, -4.0)
    hand_on(student, second, 0.5)
    assert a.grad == approx(6.5)
