"""product, sum_times and neuron build their graphs from the Values that they are given."""

from pytest import approx

from grader.autograd import reached


def assert_leads_to(student, root, leaves):
    nodes = reached(root)
    for leaf in leaves:
        where = f"{student.called(leaf)} cannot be found from {student.called(root)}"
        words = f"{where}: it was not used, or the graph was cut on the way."
        assert leaf in nodes, words


def test_product(student):
    """product(a, b, c) with 3, 4, -5 is 7: the sum of d = a * b and c."""
    leaves = student.leaves(a=3.0, b=4.0, c=-5.0)
    L = student.product(*leaves)
    assert_leads_to(student, L, leaves)
    assert L.data == approx(7.0)
    assert L._op == "+"


def test_sum_times(student):
    """sum_times(a, b, c) with 3, 4, -5 is -35: the product of e = a + b and c."""
    leaves = student.leaves(a=3.0, b=4.0, c=-5.0)
    f = student.sum_times(*leaves)
    assert_leads_to(student, f, leaves)
    assert f.data == approx(-35.0)
    assert f._op == "*"


def test_neuron(student):
    """neuron(x1, x2, w1, w2, b) with 1, -2, 3, 0.5, 4 is 6: x1*w1 + x2*w2 + b."""
    leaves = student.leaves(x1=1.0, x2=-2.0, w1=3.0, w2=0.5, b=4.0)
    n = student.neuron(*leaves)
    assert_leads_to(student, n, leaves)
    assert n.data == approx(6.0)
    assert n._op == "+"
