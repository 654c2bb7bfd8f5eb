"""product, sum_times and neuron build their graphs from the Values that they are given."""

from pytest import approx

from grader.autograd import children, reached


def assert_leads_to(student, root, leaves):
    nodes = reached(root)
    for leaf in leaves:
        where = f"{student.called(leaf)} cannot be found from {student.called(root)}"
        words = f"{where}: it was not used, or the graph was cut on the way."
        assert leaf in nodes, words


def test_product(student, rng):
    """Random leaves; c is a child of the root."""
    x, y, z = rng.uniform(1, 5), rng.uniform(-9, -6), rng.uniform(10, 20)
    a, b, c = student.leaves(a=x, b=y, c=z)
    L = student.product(a, b, c)
    assert_leads_to(student, L, (a, b, c))
    assert (L.data, a.data, b.data, c.data) == approx((x * y + z, x, y, z))
    (d,) = (child for child in children(L) if child is not c)
    assert (d.data, d._op) == (approx(x * y), "*")


def test_sum_times(student, rng):
    """Random leaves; c is a child of the root."""
    x, y, z = rng.uniform(1, 5), rng.uniform(-9, -6), rng.uniform(10, 20)
    a, b, c = student.leaves(a=x, b=y, c=z)
    f = student.sum_times(a, b, c)
    assert_leads_to(student, f, (a, b, c))
    assert (f.data, a.data, b.data, c.data) == approx(((x + y) * z, x, y, z))
    (e,) = (child for child in children(f) if child is not c)
    assert (e.data, e._op) == (approx(x + y), "+")


def test_neuron(student, rng):
    """Random inputs and weights."""
    numbers = {name: rng.uniform(0.5, 3) * rng.choice((-1, 1)) for name in ("x1", "x2", "w1", "w2", "b")}
    leaves = student.leaves(**numbers)
    n = student.neuron(*leaves)
    x1, x2, w1, w2, b = numbers.values()
    assert_leads_to(student, n, leaves)
    assert n.data == approx(x1 * w1 + x2 * w2 + b)


def test_lesson(student):
    """The neuron of the lesson."""
    leaves = student.leaves(x1=2.0, x2=0.0, w1=-3.0, w2=1.0, b=6.8813735870195432)
    n = student.neuron(*leaves)
    assert_leads_to(student, n, leaves)
    assert n.data == approx(0.8813735870195432)
    assert sorted(node._op for node in reached(n) if children(node))[:2] == ["*", "*"]
