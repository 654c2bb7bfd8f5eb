"""Each row for itself, also with large scores."""

from _helpers import apart_from_tensor
from pytest import approx

from grader.autograd import hand_on

Z = [[0.5, -1.0, 2.0, 0.25], [1.5, 0.0, -0.75, 3.0], [0.0, 0.125, 4.0, -2.0]]
UPSTREAM = [[1.0, -2.0, 0.5, 0.25], [0.0, 1.5, -1.0, 2.0], [3.0, 0.5, 1.0, -0.5]]


def test_numbers(student, oracle):
    """log_softmax of three rows of four scores."""
    (z,) = student.leaves(z=Z)
    out = student.log_softmax(z)
    assert out.data == approx(oracle(lambda z: z.log_softmax(1), z=Z).data)


def test_large_scores(student):
    """Scores of 1000, 0 and -1000: the logarithms are 0, -1000 and -2000."""
    (z,) = student.leaves(z=[[1000.0, 0.0, -1000.0]])
    assert student.log_softmax(z).data == approx([[0.0, -1000.0, -2000.0]], abs=1e-9)


def test_small_scores(student):
    """Scores of -1000, -1001: the same as those of 1 and 0."""
    (z,) = student.leaves(z=[[-1000.0, -1001.0], [1.0, 0.0]])
    assert student.log_softmax(z).data == approx([[-0.3132616875, -1.3132616875]] * 2)


@apart_from_tensor
def test_gradient(student, oracle):
    """The gradient of z, added to what was there: with an upstream gradient that differs in each place."""
    (z,) = student.leaves(z=Z)
    z.grad = student.array([[1.0] * 4] * 3)
    out = student.log_softmax(z)
    hand_on(student, out, student.array(UPSTREAM))
    slopes = oracle(lambda z, u: z.log_softmax(1) * u, z=Z, u=UPSTREAM).gradients["z"]
    assert z.grad == approx([[1.0 + slope for slope in row] for row in slopes])


def test_scores_stay(student):
    """log_softmax leaves z as it is."""
    (z,) = student.leaves(z=Z)
    student.log_softmax(z)
    assert z.data == Z
