"""sum hands each entry the upstream gradient of the sum that it went into."""

from grader.autograd import hand_on

A = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def test_all(student):
    """In x.sum() of shape (2, 3): one number for all entries. x holds a gradient already."""
    (x,) = student.leaves(x=A)
    x.grad = student.array([[1.0, 0.0, 0.5], [2.0, 1.0, 4.0]])
    out = x.sum()
    hand_on(student, out, student.array(-0.5))
    assert out.data == 21.0
    assert x.grad == [[0.5, -0.5, 0.0], [1.5, 0.5, 3.5]]
    assert x.data == A


def test_rows(student):
    """In x.sum(axis=1) of shape (2, 3): one number for each row."""
    (x,) = student.leaves(x=A)
    out = x.sum(axis=1)
    hand_on(student, out, student.array([2.0, -0.5]))
    assert out.data == [6.0, 15.0]
    assert x.grad == [[2.0, 2.0, 2.0], [-0.5, -0.5, -0.5]]


def test_columns(student):
    """In x.sum(axis=0) of shape (2, 3): one number for each column."""
    (x,) = student.leaves(x=A)
    out = x.sum(axis=0)
    hand_on(student, out, student.array([2.0, -0.5, 4.0]))
    assert x.grad == [[2.0, -0.5, 4.0], [2.0, -0.5, 4.0]]


def test_kept(student):
    """In x.sum(axis=1, keepdims=True) of shape (2, 3): the axis stays."""
    (x,) = student.leaves(x=A)
    out = x.sum(axis=1, keepdims=True)
    hand_on(student, out, student.array([[2.0], [-0.5]]))
    assert out.data == [[6.0], [15.0]]
    assert x.grad == [[2.0, 2.0, 2.0], [-0.5, -0.5, -0.5]]


def test_square(student):
    """In x.sum(axis=1) of shape (2, 2), where a gradient along the wrong axis fits, too."""
    (x,) = student.leaves(x=[[1.0, 2.0], [3.0, 4.0]])
    out = x.sum(axis=1)
    hand_on(student, out, student.array([2.0, -0.5]))
    assert x.grad == [[2.0, 2.0], [-0.5, -0.5]]


def test_last_axis(student):
    """In x.sum(axis=-1) of shape (2, 3): an axis that is counted from the end."""
    (x,) = student.leaves(x=A)
    out = x.sum(axis=-1)
    hand_on(student, out, student.array([2.0, -0.5]))
    assert x.grad == [[2.0, 2.0, 2.0], [-0.5, -0.5, -0.5]]
