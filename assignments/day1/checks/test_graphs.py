"""product, sum_times and neuron build their graphs from the Values that they are given."""

from pytest import approx

from grader.autograd import children, reached


def assert_leads_to(student, root, leaves):
    nodes = reached(root)
    for leaf in leaves:
        where = f"{student.called(leaf)} cannot be found from {student.called(root)}"
        words = f"{where}: it was not used, or the graph was cut on the way."
        assert leaf in nodes, words


def assert_nodes(root, operation, count, wanted):
    found = [node._op for node in reached(root) if children(node)].count(operation)
    assert found >= count, (
        f"{wanted}: each operator makes a node of its own. Use the operators on the Values."
    )


def test_product(student):
    """product(a, b, c) with 2.5, 3, -5.25 is 2.25: the sum of d = a * b and c. a, b and c keep theirs."""
    a, b, c = student.leaves(a=2.5, b=3.0, c=-5.25)
    L = student.product(a, b, c)
    assert_leads_to(student, L, (a, b, c))
    assert L.data == approx(2.25)
    assert L._op == "+"
    assert_nodes(L, "*", 1, "The graph of product has no node for d = a * b")
    assert (a.data, b.data, c.data) == approx((2.5, 3.0, -5.25))


def test_sum_times(student):
    """sum_times(a, b, c) with 2.5, 3, -5.25 is -28.875: e = a + b times c. a, b and c keep theirs."""
    a, b, c = student.leaves(a=2.5, b=3.0, c=-5.25)
    f = student.sum_times(a, b, c)
    assert_leads_to(student, f, (a, b, c))
    assert f.data == approx(-28.875)
    assert f._op == "*"
    assert_nodes(f, "+", 1, "The graph of sum_times has no node for e = a + b")
    assert (a.data, b.data, c.data) == approx((2.5, 3.0, -5.25))


def test_neuron(student):
    """neuron(x1, x2, w1, w2, b) with 1.5, -2, 3, 0.25, 4 is 8: x1*w1 + x2*w2 + b."""
    leaves = student.leaves(x1=1.5, x2=-2.0, w1=3.0, w2=0.25, b=4.0)
    n = student.neuron(*leaves)
    assert_leads_to(student, n, leaves)
    assert n.data == approx(8.0)
    assert n._op == "+"
    assert_nodes(n, "*", 2, "The graph of neuron lacks a node for x1*w1 or x2*w2")
