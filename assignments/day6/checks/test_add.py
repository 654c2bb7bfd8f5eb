"""+ hands the upstream gradient to both inputs, summed to the shape of each."""

from grader.autograd import apart_from_unbroadcast, hand_on


@apart_from_unbroadcast
def test_same_shape(student):
    """In A + B both have the shape (2, 2), and hold a gradient already."""
    A, B = student.leaves(A=[[1.0, 2.0], [3.0, 4.0]], B=[[0.5, -1.0], [2.0, 8.0]])
    A.grad = student.array([[1.0, 1.0], [2.0, 2.0]])
    out = A + B
    hand_on(student, out, student.array([[0.5, -2.0], [4.0, 1.5]]))
    assert out.data == [[1.5, 1.0], [5.0, 12.0]]
    assert A.grad == [[1.5, -1.0], [6.0, 3.5]]
    assert B.grad == [[0.5, -2.0], [4.0, 1.5]]


@apart_from_unbroadcast
def test_row(student):
    """In A + b, b is one row for both rows of A."""
    A, b = student.leaves(A=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], b=[10.0, 20.0, 30.0])
    out = A + b
    hand_on(student, out, student.array([[2.0, -1.0, 0.5], [4.0, 1.0, -3.0]]))
    assert b.grad == [6.0, 0.0, -2.5]
    assert A.grad == [[2.0, -1.0, 0.5], [4.0, 1.0, -3.0]]


@apart_from_unbroadcast
def test_column_and_row(student):
    """In P + Q, P is a column of two numbers and Q a row of three: both are stretched."""
    P, Q = student.leaves(P=[[2.0], [-1.0]], Q=[[1.0, 3.0, -2.0]])
    P.grad = student.array([[1.0], [0.5]])
    out = P + Q
    hand_on(student, out, student.array([[2.0, -1.0, 0.5], [4.0, 1.0, -3.0]]))
    assert P.grad == [[2.5], [2.5]]
    assert Q.grad == [[6.0, 0.0, -2.5]]


@apart_from_unbroadcast
def test_used_twice(student):
    """In x + x, x gets a contribution for each of its uses."""
    (x,) = student.leaves(x=[1.0, -2.0, 4.0])
    out = x + x
    hand_on(student, out, student.array([1.0, 0.5, -4.0]))
    assert x.grad == [2.0, 1.0, -8.0]


@apart_from_unbroadcast
def test_number(student):
    """In x + 2 the number is made into a Tensor; x gets the upstream gradient."""
    (x,) = student.leaves(x=[[1.0, -2.0, 4.0]])
    out = x + 2
    hand_on(student, out, student.array([[1.0, 0.5, -4.0]]))
    assert out.data == [[3.0, 0.0, 6.0]]
    assert x.grad == [[1.0, 0.5, -4.0]]


@apart_from_unbroadcast
def test_arrays_of_their_own(student):
    """In x + y and then y + 1, y gets a second contribution, and x keeps what it had."""
    x, y = student.leaves(x=[1.0, 2.0], y=[4.0, 0.5])
    first, second = x + y, y + 1.0
    hand_on(student, first, student.array([1.0, 2.0]))
    hand_on(student, second, student.array([8.0, 16.0]))
    assert x.grad == [1.0, 2.0]
    assert y.grad == [9.0, 18.0]


@apart_from_unbroadcast
def test_large(student):
    """In A + B with large numbers and gradients nothing is cut off."""
    A, B = student.leaves(A=[524288.0, -262144.0], B=[-4.0, 128.0])
    out = A + B
    hand_on(student, out, student.array([2048.0, -32768.0]))
    assert out.data == [524284.0, -262016.0]
    assert A.grad == [2048.0, -32768.0]
    assert B.grad == [2048.0, -32768.0]
    assert A.data == [524288.0, -262144.0]
    assert B.data == [-4.0, 128.0]
