"""E[rows] hands each row of the gradient back to the row that it came from; what is taken twice gets both."""

from grader.autograd import hand_on


def test_each_once(student):
    """The index of E[[2, 0]] takes two rows in another order. E holds a gradient already."""
    (E,) = student.leaves(E=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    E.grad = student.array([[1.0, 1.0], [0.5, 0.5], [2.0, 2.0]])
    out = E[[2, 0]]
    hand_on(student, out, student.array([[4.0, 8.0], [0.25, -2.0]]))
    assert out.data == [[5.0, 6.0], [1.0, 2.0]]
    assert E.grad == [[1.25, -1.0], [0.5, 0.5], [6.0, 10.0]]
    assert E.data == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def test_row_twice(student):
    """The index of E[[0, 2, 0]] takes row 0 twice."""
    (E,) = student.leaves(E=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    out = E[[0, 2, 0]]
    hand_on(student, out, student.array([[1.0, 8.0], [2.0, 16.0], [4.0, 32.0]]))
    assert E.grad == [[5.0, 40.0], [0.0, 0.0], [2.0, 16.0]]
