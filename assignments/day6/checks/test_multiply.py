"""* hands each factor the other one times the upstream gradient, summed to its shape."""

from grader.autograd import apart_from_unbroadcast, hand_on


@apart_from_unbroadcast
def test_same_shape(student):
    """In A * B both have the shape (2, 2), and hold a gradient already."""
    A, B = student.leaves(A=[[1.0, 2.0], [3.0, 4.0]], B=[[0.5, -1.0], [2.0, 8.0]])
    A.grad = student.array([[1.0, 1.0], [2.0, 2.0]])
    out = A * B
    hand_on(student, out, student.array([[0.5, -2.0], [4.0, 1.5]]))
    assert out.data == [[0.5, -2.0], [6.0, 32.0]]
    assert A.grad == [[1.25, 3.0], [10.0, 14.0]]
    assert B.grad == [[0.5, -4.0], [12.0, 6.0]]


@apart_from_unbroadcast
def test_row(student):
    """In A * b, b is one row for both rows of A."""
    A, b = student.leaves(A=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], b=[0.5, -1.0, 2.0])
    out = A * b
    hand_on(student, out, student.array([[2.0, -1.0, 0.5], [4.0, 1.0, -3.0]]))
    assert b.grad == [18.0, 3.0, -16.5]
    assert A.grad == [[1.0, 1.0, 1.0], [2.0, -1.0, -6.0]]


@apart_from_unbroadcast
def test_column_and_row(student):
    """In P * Q, P is a column of two numbers and Q a row of three: both are stretched."""
    P, Q = student.leaves(P=[[2.0], [-1.0]], Q=[[1.0, 3.0, -2.0]])
    out = P * Q
    hand_on(student, out, student.array([[0.5, 0.0, 2.0], [-1.0, 8.0, 0.25]]))
    assert P.grad == [[-3.5], [22.5]]
    assert Q.grad == [[2.0, -8.0, 3.75]]


@apart_from_unbroadcast
def test_used_twice(student):
    """In x * x, x gets a contribution for each of its uses."""
    (x,) = student.leaves(x=[1.0, -2.0, 4.0])
    out = x * x
    hand_on(student, out, student.array([1.0, 0.5, -4.0]))
    assert x.grad == [2.0, -2.0, -32.0]


@apart_from_unbroadcast
def test_number(student):
    """In 0.5 * x the number is made into a Tensor; x gets half of the upstream gradient."""
    (x,) = student.leaves(x=[[1.0, -2.0, 4.0]])
    out = 0.5 * x
    hand_on(student, out, student.array([[1.0, 0.5, -4.0]]))
    assert out.data == [[0.5, -1.0, 2.0]]
    assert x.grad == [[0.5, 0.25, -2.0]]


@apart_from_unbroadcast
def test_large(student):
    """In A * B with large numbers and gradients nothing is cut off."""
    A, B = student.leaves(A=[524288.0, -262144.0], B=[-4.0, 128.0])
    out = A * B
    hand_on(student, out, student.array([2048.0, -32768.0]))
    assert out.data == [-2097152.0, -33554432.0]
    assert A.grad == [-8192.0, -4194304.0]
    assert B.grad == [1073741824.0, 8589934592.0]
    assert A.data == [524288.0, -262144.0]
    assert B.data == [-4.0, 128.0]
