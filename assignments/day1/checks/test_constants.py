"""A plain number may stand on either side of + and ×, and becomes a leaf of the graph."""

from pytest import approx

from grader.autograd import children


def number_in(student, node, a):
    others = [child for child in children(node) if child is not a]
    count = len(children(node))
    held = f"holds {count} Value{'s' * (count > 1)}" if count else "is empty"
    wanted = "both a and a leaf for the number should be children"
    assert len(others) == 1, f"`_prev` of {student.called(node)} {held}; {wanted}."
    return others[0]


def test_right_of_plus(student):
    """In a + 1 the sum is right, and the 1 is a child that holds 1."""
    (a,) = student.leaves(a=2.5)
    L = a + 1
    assert number_in(student, L, a).data == approx(1.0)
    assert L.data == approx(3.5)


def test_left_of_plus(student):
    """In 0.25 + a the sum is right, and the 0.25 is a child that holds 0.25."""
    (a,) = student.leaves(a=2.5)
    L = 0.25 + a
    assert number_in(student, L, a).data == approx(0.25)
    assert L.data == approx(2.75)


def test_right_of_times(student):
    """In a * 3 the product is right, and the 3 is a child that holds 3."""
    (a,) = student.leaves(a=2.5)
    L = a * 3
    assert number_in(student, L, a).data == approx(3.0)
    assert L.data == approx(7.5)


def test_left_of_times(student):
    """In -0.5 * a the product is right, and the -0.5 is a child that holds -0.5."""
    (a,) = student.leaves(a=2.5)
    L = -0.5 * a
    assert number_in(student, L, a).data == approx(-0.5)
    assert L.data == approx(-1.25)


def test_zero_in_a_sum(student):
    """In 0 + a the 0 is a number like any other: it becomes a child, and the result is a new Value."""
    (a,) = student.leaves(a=2.5)
    L = 0 + a
    assert number_in(student, L, a).data == approx(0.0)
    assert L.data == approx(2.5)


def test_zero_in_a_product(student):
    """In a * 0 the result is 0, and both a and a leaf for the 0 are children."""
    (a,) = student.leaves(a=2.5)
    L = a * 0
    assert number_in(student, L, a).data == approx(0.0)
    assert L.data == approx(0.0)


def test_sum(student):
    """Python's sum([a, b]) begins with 0 + a, and its result is a Value."""
    a, b = student.leaves(a=2.5, b=-4.25)
    total = sum([a, b])
    children(total)
    assert total.data == approx(-1.75)
