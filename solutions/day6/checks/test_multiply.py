"""* hands each factor the other one times the upstream gradient, summed to its shape."""

from grader.autograd import apart_from_unbroadcast, hand_on


@apart_from_unbroadcast
def test_row_on_the_left(student):
    """The row stands on the left and holds a gradient already."""
    b, A = student.leaves(b=[0.5, -4.0], A=[[1.0, 2.0], [3.0, 8.0], [-1.0, 0.5]])
    b.grad = student.array([1.0, -1.0])
    out = b * A
    hand_on(student, out, student.array([[1.0, 0.25], [-2.0, 4.0], [8.0, 0.5]]))
    assert b.grad == [-12.0, 31.75]
    assert A.grad == [[0.5, -1.0], [-1.0, -16.0], [4.0, -2.0]]


@apart_from_unbroadcast
def test_three_axes(student):
    """Three axes and a column."""
    A, p = student.leaves(A=[[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0], [7.0, 8.0]]], p=[[1.0], [2.0]])
    out = A * p
    hand_on(student, out, student.array([[[1.0, 0.5], [2.0, -4.0]], [[0.25, 8.0], [-2.0, 1.0]]]))
    assert p.grad == [[51.25], [-16.0]]
    assert A.grad == [[[1.0, 0.5], [4.0, -8.0]], [[0.25, 8.0], [-4.0, 2.0]]]


@apart_from_unbroadcast
def test_one_number(student):
    """A tensor without axes."""
    s, A = student.leaves(s=2.0, A=[[1.0, 2.0], [3.0, 8.0]])
    out = s * A
    hand_on(student, out, student.array([[1.0, 0.25], [-2.0, 4.0]]))
    assert s.grad == 27.5
    assert A.grad == [[2.0, 0.5], [-4.0, 8.0]]


@apart_from_unbroadcast
def test_one_tensor_in_two(student):
    """A factor of two products, on either side: each result hands on a gradient of its own."""
    a, b, c = student.leaves(a=[1.0, 2.0], b=[4.0, 0.5], c=[0.0, 0.0])
    results = a * b, a * c, c * b
    for result, upstream in zip(results, ([1.0, 2.0], [8.0, 16.0], [4.0, -2.0]), strict=True):
        hand_on(student, result, student.array(upstream))
    assert a.grad == [4.0, 1.0]
    assert b.grad == [1.0, 4.0]
    assert c.grad == [24.0, 31.0]
