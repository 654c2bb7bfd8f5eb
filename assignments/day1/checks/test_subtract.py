"""Subtraction is right on both sides, and is built from + and ×."""

from pytest import approx

from grader.autograd import children, reached


def test_two_values(student):
    """In a - b with a = 2 and b = 5, the result is -3, and a and b keep their numbers."""
    a, b = student.leaves(a=2.0, b=5.0)
    L = a - b
    children(L)
    assert L.data == approx(-3.0)
    assert (a.data, b.data) == approx((2.0, 5.0))


def test_number_on_the_right(student):
    """In a - 1 with a = 4, the result is 3."""
    (a,) = student.leaves(a=4.0)
    L = a - 1
    children(L)
    assert L.data == approx(3.0)


def test_number_on_the_left(student):
    """In 5 - a with a = 2, the result is 3: a is what is taken away."""
    (a,) = student.leaves(a=2.0)
    L = 5 - a
    children(L)
    assert L.data == approx(3.0)


def test_negative(student):
    """-a with a = 2 is a new Value that holds -2."""
    (a,) = student.leaves(a=2.0)
    L = -a
    children(L)
    assert (L.data, a.data) == approx((-2.0, 2.0))


def test_built_from_plus_and_times(student):
    """The graph of a - b leads to a and b, and nothing but + and * was used."""
    a, b = student.leaves(a=2.0, b=5.0)
    L = a - b
    nodes = reached(L)
    assert a in nodes, "a cannot be found from a - b."
    assert b in nodes, "b cannot be found from a - b."
    used = sorted({str(node._op) for node in nodes if children(node)})
    student.note("the operations in a - b", used)
    assert used == ["*", "+"]
