"""@ hands each matrix the upstream gradient times the other one, transposed, on the right side."""

from grader.autograd import hand_on


def test_shapes(student):
    """In A @ B of (2, 3) and (3, 2)."""
    A, B = student.leaves(A=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], B=[[1.0, -1.0], [0.5, 2.0], [-2.0, 0.0]])
    out = A @ B
    hand_on(student, out, student.array([[1.0, 2.0], [-1.0, 0.5]]))
    assert out.data == [[-4.0, 3.0], [-5.5, 6.0]]
    assert A.grad == [[-1.0, 4.5, -2.0], [-1.5, 0.5, 2.0]]
    assert B.grad == [[-3.0, 4.0], [-3.0, 6.5], [-3.0, 9.0]]
    assert A.data == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
    assert B.data == [[1.0, -1.0], [0.5, 2.0], [-2.0, 0.0]]


def test_square(student):
    """In A @ B of two square matrices, where a product without a transpose runs, too. A holds a gradient already."""
    A, B = student.leaves(A=[[1.0, 2.0], [3.0, 4.0]], B=[[1.0, -1.0], [0.5, 2.0]])
    A.grad = student.array([[1.0, 0.0], [0.5, 2.0]])
    out = A @ B
    hand_on(student, out, student.array([[1.0, 2.0], [-1.0, 0.5]]))
    assert A.grad == [[0.0, 4.5], [-1.0, 2.5]]
    assert B.grad == [[-2.0, 3.5], [-2.0, 6.0]]


def test_used_twice(student):
    """In A @ A, A gets a contribution for each of its uses."""
    (A,) = student.leaves(A=[[1.0, 2.0], [3.0, 4.0]])
    out = A @ A
    hand_on(student, out, student.array([[1.0, 0.5], [-1.0, 2.0]]))
    assert A.grad == [[0.0, 11.5], [1.0, 14.0]]


def test_one_row(student):
    """In x @ w of one row of three and one column: one neuron."""
    x, w = student.leaves(x=[[2.0, 0.0, -1.0]], w=[[-3.0], [1.0], [0.5]])
    out = x @ w
    hand_on(student, out, student.array([[4.0]]))
    assert x.grad == [[-12.0, 4.0, 2.0]]
    assert w.grad == [[8.0], [0.0], [-4.0]]
