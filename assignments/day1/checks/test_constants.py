"""A plain number may stand on either side of + and ×, and becomes a leaf of the graph."""

from pytest import approx

from grader.autograd import children


def number_in(student, node, a):
    others = [child for child in children(node) if child is not a]
    held = "both a and a leaf for the number should be children"
    assert len(others) == 1, f"`_prev` of {student.called(node)} holds {len(children(node))} Values; {held}."
    return others[0]


def test_right_of_plus(student):
    """In a + 1 the sum is right, and the 1 is a child that holds 1."""
    (a,) = student.leaves(a=2.5)
    L = a + 1
    assert number_in(student, L, a).data == approx(1.0)
    assert L.data == approx(3.5)


def test_left_of_plus(student):
    """In 4 + a the sum is right, and the 4 is a child that holds 4."""
    (a,) = student.leaves(a=2.5)
    L = 4 + a
    assert number_in(student, L, a).data == approx(4.0)
    assert L.data == approx(6.5)


def test_right_of_times(student):
    """In a * 3 the product is right, and the 3 is a child that holds 3."""
    (a,) = student.leaves(a=2.5)
    L = a * 3
    assert number_in(student, L, a).data == approx(3.0)
    assert L.data == approx(7.5)


def test_left_of_times(student):
    """In -2 * a the product is right, and the -2 is a child that holds -2."""
    (a,) = student.leaves(a=2.5)
    L = -2 * a
    assert number_in(student, L, a).data == approx(-2.0)
    assert L.data == approx(-5.0)
