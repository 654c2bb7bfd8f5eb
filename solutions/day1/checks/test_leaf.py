"""A leaf holds its number, no children and no operation; an inner node holds all three."""

from pytest import approx

from grader.autograd import assert_made_from


def test_random(student, rng):
    """Random numbers, floats and an int."""
    x = rng.uniform(-5, 5)
    a, b, c = student.leaves(a=x, b=-x, c=7)
    assert (a.data, b.data, c.data) == approx((x, -x, 7))
    for leaf in (a, b, c):
        assert_made_from(leaf)


def test_each_has_its_own(student):
    """What one node holds is not in a leaf that is made later."""
    a, b = student.leaves(a=2.0, b=-3.0)
    node = student.Value(-6.0, (a, b), "*")
    (c,) = student.leaves(c=4.0)
    for leaf in (a, b, c):
        assert_made_from(leaf)
    assert_made_from(node, a, b)


def test_any_container(student):
    """The children may come in a list or a tuple, and all four things may be given by their place."""
    a, b = student.leaves(a=2.0, b=5.0)
    node, one = student.Value(7.0, [a, b], "+", "sum"), student.Value(-2.0, (a,), "*")
    assert_made_from(node, a, b)
    assert_made_from(one, a)
    assert (node.label, node._op, one._op) == ("sum", "+", "*")
