"""E[rows] hands each row of the gradient back to the row that it came from; what is taken twice gets both."""

from grader.autograd import hand_on


def test_row_three_times(student):
    """One row is taken three times, and E holds a gradient already."""
    (E,) = student.leaves(E=[[1.0, 2.0], [3.0, 4.0]])
    E.grad = student.array([[1.0, 0.5], [2.0, 2.0]])
    out = E[[1, 1, 0, 1]]
    hand_on(student, out, student.array([[1.0, 8.0], [2.0, 0.25], [4.0, 16.0], [-0.5, 1.0]]))
    assert E.grad == [[5.0, 16.5], [4.5, 11.25]]


def test_entries(student):
    """Single entries of a vector."""
    (x,) = student.leaves(x=[1.0, 2.0, 4.0])
    out = x[[2, 2, 0]]
    hand_on(student, out, student.array([1.0, 8.0, -2.0]))
    assert x.grad == [-2.0, 0.0, 9.0]


def test_one_tensor_in_two(student):
    """Rows are taken twice: each result hands on a gradient of its own."""
    (E,) = student.leaves(E=[[1.0, 2.0], [3.0, 4.0]])
    first, second = E[[1, 0]], E[[1]]
    hand_on(student, first, student.array([[1.0, 8.0], [2.0, 0.25]]))
    hand_on(student, second, student.array([[4.0, 16.0]]))
    assert E.grad == [[2.0, 0.25], [5.0, 24.0]]
