"""@ hands each matrix the upstream gradient times the other one, transposed, on the right side."""

from grader.autograd import hand_on


def test_wide(student):
    """(3, 1) times (1, 2), where B holds a gradient already."""
    A, B = student.leaves(A=[[1.0], [-2.0], [4.0]], B=[[0.5, 8.0]])
    B.grad = student.array([[1.0, 1.0]])
    out = A @ B
    hand_on(student, out, student.array([[1.0, 2.0], [-1.0, 0.5], [4.0, 0.25]]))
    assert A.grad == [[16.5], [3.5], [4.0]]
    assert B.grad == [[20.0, 3.0]]


def test_square(student):
    """Two square matrices of three rows."""
    A, B = student.leaves(
        A=[[1.0, 0.0, 2.0], [-1.0, 4.0, 0.5], [2.0, 1.0, 0.0]],
        B=[[0.5, 1.0, 0.0], [2.0, -1.0, 1.0], [0.0, 4.0, 8.0]],
    )
    out = A @ B
    hand_on(student, out, student.array([[1.0, 2.0, 0.0], [0.0, -1.0, 0.5], [4.0, 0.0, 1.0]]))
    assert A.grad == [[2.5, 0.0, 8.0], [-1.0, 1.5, 0.0], [2.0, 9.0, 8.0]]
    assert B.grad == [[9.0, 3.0, 1.5], [4.0, -4.0, 3.0], [2.0, 3.5, 0.25]]


def test_one_matrix_in_two(student):
    """A matrix in two products, on either side: each result hands on a gradient of its own."""
    A, B, C = student.leaves(A=[[1.0, 2.0]], B=[[4.0], [0.5]], C=[[-1.0], [8.0]])
    results = A @ B, A @ C, B @ A
    for result, upstream in zip(results, ([[2.0]], [[-4.0]], [[1.0, 0.0], [0.0, -2.0]]), strict=True):
        hand_on(student, result, student.array(upstream))
    assert A.grad == [[16.0, -32.0]]
    assert B.grad == [[3.0], [0.0]]
    assert C.grad == [[-4.0], [-8.0]]
