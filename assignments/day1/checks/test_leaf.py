"""A leaf holds its number, no children and no operation; an inner node holds all three."""

from pytest import approx

from grader.autograd import assert_made_from


def test_leaf(student):
    """Value(2.5) holds 2.5, no children, and an empty text as its operation."""
    (a,) = student.leaves(a=2.5)
    assert a.data == approx(2.5)
    assert_made_from(a)
    assert a._op == ""


def test_label(student):
    """Value(2.5, label="x") keeps the label."""
    x = student.Value(2.5, label="x")
    assert x.label == "x"


def test_inner_node(student):
    """Value(7.0, (a, b), "+") keeps a and b themselves as children, and the operation."""
    a, b = student.leaves(a=3.0, b=4.0)
    node = student.Value(7.0, (a, b), "+")
    assert node.data == approx(7.0)
    assert_made_from(node, a, b)
    assert node._op == "+"


def test_leaf_after_a_node(student):
    """A leaf that is made after an inner node holds nothing: each Value has a `_prev` of its own."""
    a, b = student.leaves(a=3.0, b=4.0)
    student.Value(7.0, (a, b), "+")
    (c,) = student.leaves(c=2.5)
    assert_made_from(a)
    assert_made_from(c)
