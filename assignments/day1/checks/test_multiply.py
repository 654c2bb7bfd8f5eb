"""× makes a new Value that holds the product, both inputs and the operation."""

from pytest import approx

from grader.autograd import assert_made_from, children


def test_data(student):
    """The data of a * b is the product of the two numbers, and a and b keep theirs."""
    a, b = student.leaves(a=2.5, b=-1.25)
    L = a * b
    children(L)
    assert L.data == approx(-3.125)
    assert (a.data, b.data) == approx((2.5, -1.25))


def test_children(student):
    """The children of a * b are a and b themselves."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a * b
    assert_made_from(L, a, b)


def test_inputs(student):
    """After a * b, a and b still have no children."""
    a, b = student.leaves(a=2.0, b=-3.0)
    children(a * b)
    assert_made_from(a)
    assert_made_from(b)


def test_operation(student):
    """The result of a * b remembers "*", and the leaves still remember nothing."""
    a, b = student.leaves(a=2.0, b=-3.0)
    L = a * b
    children(L)
    assert L._op == "*"
    assert (a._op, b._op) == ("", "")


def test_same_value_twice(student):
    """In a * a there is one child, a."""
    (a,) = student.leaves(a=3.0)
    L = a * a
    assert_made_from(L, a)
    assert L.data == approx(9.0)
