"""+ hands the upstream gradient to both inputs, summed to the shape of each."""

from grader.autograd import apart_from_unbroadcast, hand_on


@apart_from_unbroadcast
def test_row_on_the_left(student):
    """The row stands on the left and holds a gradient already."""
    b, A = student.leaves(b=[0.5, -4.0], A=[[1.0, 2.0], [3.0, 8.0], [-1.0, 0.5]])
    b.grad = student.array([1.0, -1.0])
    out = b + A
    hand_on(student, out, student.array([[1.0, 0.25], [-2.0, 4.0], [8.0, 0.5]]))
    assert b.grad == [8.0, 3.75]
    assert A.grad == [[1.0, 0.25], [-2.0, 4.0], [8.0, 0.5]]


@apart_from_unbroadcast
def test_three_axes(student):
    """Three axes and a column."""
    A, p = student.leaves(A=[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], p=[[1.0], [2.0]])
    out = A + p
    hand_on(student, out, student.array([[[1.0, 0.5], [2.0, -4.0]], [[0.25, 8.0], [-2.0, 1.0]]]))
    assert p.grad == [[9.75], [-3.0]]
    assert A.grad == [[[1.0, 0.5], [2.0, -4.0]], [[0.25, 8.0], [-2.0, 1.0]]]


@apart_from_unbroadcast
def test_one_number(student):
    """A tensor without axes."""
    s, A = student.leaves(s=2.0, A=[[1.0, 2.0], [3.0, 8.0]])
    out = A + s
    hand_on(student, out, student.array([[1.0, 0.25], [-2.0, 4.0]]))
    assert s.grad == 3.25


@apart_from_unbroadcast
def test_kept_apart(student):
    """Two sums of the same inputs: no gradient shares its array with another."""
    a, b = student.leaves(a=[1.0, 2.0], b=[4.0, 0.5])
    first, second = a + b, a + 1.0
    hand_on(student, first, student.array([1.0, 2.0]))
    hand_on(student, second, student.array([8.0, 16.0]))
    assert a.grad == [9.0, 18.0]
    assert b.grad == [1.0, 2.0]


@apart_from_unbroadcast
def test_result_keeps_its_gradient(student):
    """Both inputs get a second contribution: it does not reach the gradient of the first sum."""
    a, b = student.leaves(a=[1.0, 2.0], b=[4.0, 0.5])
    first, second, third = a + b, a + 1.0, b + 1.0
    for result, upstream in ((first, [1.0, 2.0]), (second, [8.0, 16.0]), (third, [4.0, -2.0])):
        hand_on(student, result, student.array(upstream))
    assert first.grad == [1.0, 2.0]
    assert a.grad == [9.0, 18.0]
    assert b.grad == [5.0, 0.0]
