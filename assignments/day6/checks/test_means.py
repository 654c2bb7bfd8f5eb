"""mean is a sum divided by how many entries went into it, forward and backward."""

from grader.autograd import apart_from_unbroadcast, hand_on

A = [[1.0, 2.0, 3.0, 6.0], [4.0, 5.0, 6.0, 1.0]]


@apart_from_unbroadcast
def test_all(student):
    """In x.mean() of shape (2, 4): eight entries."""
    (x,) = student.leaves(x=A)
    out = x.mean()
    hand_on(student, out, student.array(2.0))
    assert out.data == 3.5
    assert x.grad == [[0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]]
    assert x.data == A


@apart_from_unbroadcast
def test_rows(student):
    """In x.mean(axis=1) of shape (2, 4): four entries a row."""
    (x,) = student.leaves(x=A)
    out = x.mean(axis=1)
    hand_on(student, out, student.array([2.0, -1.0]))
    assert out.data == [3.0, 4.0]
    assert x.grad == [[0.5, 0.5, 0.5, 0.5], [-0.25, -0.25, -0.25, -0.25]]


@apart_from_unbroadcast
def test_kept(student):
    """In x.mean(axis=0, keepdims=True) of shape (2, 4): two entries a column, and the axis stays."""
    (x,) = student.leaves(x=A)
    out = x.mean(axis=0, keepdims=True)
    hand_on(student, out, student.array([[2.0, -1.0, 4.0, 0.5]]))
    assert out.data == [[2.5, 3.5, 4.5, 3.5]]
    assert x.grad == [[1.0, -0.5, 2.0, 0.25], [1.0, -0.5, 2.0, 0.25]]
