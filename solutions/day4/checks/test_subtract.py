"""- and negation: the subtrahend's gradient has the opposite sign, and the sides stay where they are."""

from pytest import approx

from grader.autograd import hand_on


def test_shared_difference(student, rng):
    """An inner difference that is used twice hands on twice what L got."""
    x, y, z = rng.uniform(1, 3), rng.uniform(-6, -4), rng.uniform(7, 9)
    a, b, c = student.leaves(a=x, b=y, c=z)
    d = a - b
    e = c - d
    a.grad = b.grad = c.grad = d.grad = e.grad = 0.0
    L = d - e
    hand_on(student, L, 1.5)
    assert isinstance(L, student.Value)
    assert L.data == approx(2 * (x - y) - z)
    assert (a.grad, b.grad, c.grad, d.grad) == approx((3.0, -3.0, -1.5, 3.0))


def test_equal_results(student, rng):
    """Differences and negations of equal numbers have inputs of their own, -z moves at 0, and a - a does not."""
    x, y = rng.uniform(6, 9), rng.uniform(-6, -4)
    a, b, c, d, e, f, g, z = leaves = student.leaves(a=x, b=y, c=x, d=y, e=x, f=-x, g=x, z=0.0)
    for leaf in leaves:
        leaf.grad = 10.0
    results = a - b, c - d, -e, -f, g - g, -z
    for result, upstream in zip(results, (-7.0, 8.0, 7.5, -8.5, -4.0, 2.0), strict=True):
        hand_on(student, result, upstream)
    assert [result.data for result in results] == approx([x - y, x - y, -x, x, 0.0, 0.0])
    assert [leaf.grad for leaf in leaves] == approx([3.0, 17.0, 18.0, 2.0, 2.5, 18.5, 10.0, 8.0])


def test_numbers(student, rng):
    """Numbers on both sides, one inside the other."""
    x = rng.uniform(2, 5)
    (a,) = student.leaves(a=x)
    b = 3 - a
    c = b - -7.25
    a.grad = b.grad = c.grad = 0.0
    L = -1.5 - c
    hand_on(student, L)
    assert (L.data, a.grad) == approx((x - 11.75, 1.0))


def test_negated_twice(student, rng):
    """-(-a) is a, also at 0."""
    x = rng.uniform(2, 5)
    a, b = student.leaves(a=x, b=0.0)
    n, m = -a, -b
    a.grad = b.grad = n.grad = m.grad = 0.0
    L, M = -n, -m
    hand_on(student, L)
    hand_on(student, M, -2.5)
    assert isinstance(n, student.Value)
    assert (n.data, L.data) == approx((-x, x))
    assert (a.grad, b.grad) == approx((1.0, -2.5))  # L may be a itself, which is not made of n


def test_negation_beside_its_input(student, rng):
    """-a - a and b - (-a): the input collects both, and the upstream gradient is kept."""
    x, y = rng.uniform(2, 5), rng.uniform(-5, -2)
    a, b = student.leaves(a=x, b=y)
    n = -a
    c = b - n
    d = n - c
    a.grad = b.grad = c.grad = d.grad = n.grad = 0.0
    L = d - a
    hand_on(student, L)
    assert L.data == approx(-3 * x - y)
    assert (a.grad, b.grad) == approx((-3.0, -1.0))


def test_one_value_in_two(student, rng):
    """A value in two differences, on either side, and negated twice: each result hands on a gradient of its own."""
    a, b, c = student.leaves(a=rng.uniform(6, 9), b=rng.uniform(-6, -4), c=rng.uniform(1, 3))
    a.grad = b.grad = c.grad = 10.0
    results = a - b, a - c, c - b, -a, -a
    for result, upstream in zip(results, (-4.0, 7.5, 0.5, 2.0, -8.0), strict=True):
        hand_on(student, result, upstream)
    assert (a.grad, b.grad, c.grad) == approx((19.5, 13.5, 3.0))
