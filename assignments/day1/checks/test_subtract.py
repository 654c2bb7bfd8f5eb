"""Subtraction is right on both sides, and is built from + and ×."""

from pytest import approx

from grader.autograd import children, reached


def operations(student, root, form):
    used = sorted({str(node._op) for node in reached(root) if children(node)})
    student.note(f"the list of operations in {form}", used)
    return used


def test_negative(student):
    """-a with a = 2.5 is a new Value that holds -2.5."""
    (a,) = student.leaves(a=2.5)
    L = -a
    children(L)
    assert (L.data, a.data) == approx((-2.5, 2.5))


def test_graph_of_negative(student):
    """The graph of -a leads to a, and nothing but + and * was used."""
    (a,) = student.leaves(a=2.0)
    L = -a
    assert a in reached(L), "a cannot be found from -a."
    assert set(operations(student, L, "-a")) <= {"*", "+"}


def test_two_values(student):
    """In a - b with a = 2.5 and b = 5.75, the result is -3.25, and a and b keep their numbers."""
    a, b = student.leaves(a=2.5, b=5.75)
    L = a - b
    children(L)
    assert L.data == approx(-3.25)
    assert (a.data, b.data) == approx((2.5, 5.75))


def test_number_on_the_right(student):
    """In a - 1.5 with a = 4, the result is 2.5."""
    (a,) = student.leaves(a=4.0)
    L = a - 1.5
    children(L)
    assert L.data == approx(2.5)


def test_number_on_the_left(student):
    """In 5 - a with a = 2, the result is 3: a is what is taken away."""
    (a,) = student.leaves(a=2.0)
    L = 5 - a
    children(L)
    assert L.data == approx(3.0)


def test_built_from_plus_and_times(student):
    """The graph of a - b leads to a and b, and nothing but + and * was used."""
    a, b = student.leaves(a=2.0, b=5.0)
    L = a - b
    nodes = reached(L)
    assert a in nodes, "a cannot be found from a - b."
    assert b in nodes, "b cannot be found from a - b."
    assert operations(student, L, "a - b") == ["*", "+"]


def test_graph_with_a_number_on_the_right(student):
    """The graph of a - 1 leads to a, and nothing but + and * was used."""
    (a,) = student.leaves(a=4.0)
    L = a - 1
    assert a in reached(L), "a cannot be found from a - 1."
    assert set(operations(student, L, "a - 1")) <= {"*", "+"}


def test_graph_with_a_number_on_the_left(student):
    """The graph of 5 - a leads to a, and nothing but + and * was used."""
    (a,) = student.leaves(a=2.0)
    L = 5 - a
    assert a in reached(L), "a cannot be found from 5 - a."
    assert set(operations(student, L, "5 - a")) <= {"*", "+"}
