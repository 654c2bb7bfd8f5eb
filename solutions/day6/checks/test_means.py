"""mean is a sum divided by how many entries went into it, forward and backward."""

from grader.autograd import apart_from_unbroadcast, hand_on


@apart_from_unbroadcast
def test_columns(student):
    """Four rows, averaged, where x holds a gradient already."""
    (x,) = student.leaves(x=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [-1.0, 8.0]])
    x.grad = student.array([[1.0, 1.0], [0.5, 0.5], [2.0, 2.0], [4.0, 4.0]])
    out = x.mean(axis=0)
    hand_on(student, out, student.array([2.0, -1.0]))
    assert out.data == [2.0, 5.0]
    assert x.grad == [[1.5, 0.75], [1.0, 0.25], [2.5, 1.75], [4.5, 3.75]]


@apart_from_unbroadcast
def test_row(student):
    """A row of four."""
    (x,) = student.leaves(x=[1.0, 2.0, 3.0, 6.0])
    out = x.mean()
    hand_on(student, out, student.array(-4.0))
    assert x.grad == [-1.0, -1.0, -1.0, -1.0]
