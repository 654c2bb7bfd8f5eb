"""Each row for itself, also with large scores."""

from _helpers import Z, apart_from_tensor, judge_closure, way_back
from pytest import approx

from grader.autograd import hand_on

ONES = [[1.0] * 4] * 3
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


def test_negative_scores(student):
    """Scores of -1000 and -1001 in one row, of -1003 and -1002 in the other: the same as those of 1 and 0, and of 0 and 1."""
    (z,) = student.leaves(z=[[-1000.0, -1001.0], [-1003.0, -1002.0]])
    right = [[-0.3132616875, -1.3132616875], [-1.3132616875, -0.3132616875]]
    assert student.log_softmax(z).data == approx(right)


@apart_from_tensor
def test_gradient(student, oracle):
    """The gradient of z, added to what was there: with an upstream gradient that differs in each place."""
    (z,) = student.leaves(z=Z)
    z.grad = student.array(ONES)
    out = student.log_softmax(z)
    hand_on(student, out, student.array(UPSTREAM))
    judge_closure(student, out, z, ONES)
    slopes = slopes_of(oracle)
    assert z.grad == approx([[1.0 + slope for slope in row] for row in slopes])


@apart_from_tensor
def test_way_back(student, oracle):
    """The gradient goes on from z, which is x times 2, to x."""
    x = way_back(student, student.log_softmax, UPSTREAM)
    assert x.grad == approx([[2.0 * slope for slope in row] for row in slopes_of(oracle)])


def slopes_of(oracle):
    return oracle(lambda z, u: z.log_softmax(1) * u, z=Z, u=UPSTREAM).gradients["z"]


def test_scores_stay(student):
    """log_softmax leaves z as it is."""
    (z,) = student.leaves(z=Z)
    student.log_softmax(z)
    assert z.data == Z
