"""sum hands each entry the upstream gradient of the sum that it went into."""

from grader.autograd import hand_on


A = [[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]]


def test_middle_axis(student):
    """Three axes, summed over the middle one, where x holds a gradient already."""
    (x,) = student.leaves(x=A)
    x.grad = student.array(A)
    out = x.sum(axis=1)
    hand_on(student, out, student.array([[1.0, -2.0], [0.5, 4.0]]))
    assert out.data == [[4.0, 6.0], [12.0, 14.0]]
    assert x.grad == [[[2.0, 0.0], [4.0, 2.0]], [[5.5, 10.0], [7.5, 12.0]]]


def test_column(student):
    """A column, along its axis of length 1."""
    (x,) = student.leaves(x=[[1.0], [2.0], [4.0]])
    out = x.sum(axis=1)
    hand_on(student, out, student.array([2.0, -0.5, 1.0]))
    assert x.grad == [[2.0], [-0.5], [1.0]]


def test_all_kept(student):
    """All entries, the axes kept."""
    (x,) = student.leaves(x=[[1.0, 2.0], [3.0, 4.0]])
    out = x.sum(keepdims=True)
    hand_on(student, out, student.array([[0.25]]))
    assert x.grad == [[0.25, 0.25], [0.25, 0.25]]


def test_one_tensor_in_two(student):
    """Two sums of one tensor: each hands on a gradient of its own."""
    (x,) = student.leaves(x=[[1.0, 2.0], [3.0, 4.0]])
    all_of_it, rows = x.sum(), x.sum(axis=1)
    hand_on(student, all_of_it, student.array(0.5))
    hand_on(student, rows, student.array([2.0, -4.0]))
    assert x.grad == [[2.5, 2.5], [-3.5, -3.5]]
