"""Minus log softmax at the target, the mean over the rows."""

from _helpers import Z, apart_from_tensor, judge_closure, way_back
from pytest import approx

from grader.autograd import apart_from_log_softmax, hand_on

ONES = [[1.0] * 4] * 3
TARGETS = [2, 0, 3]
HOT = [[0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]


def loss(z, hot):
    return (z.log_softmax(1) * hot).sum() / -3.0


def given(student, targets):
    return student.array(targets, dtype="int64")


@apart_from_log_softmax
def test_one_row(student, oracle):
    """One row of three scores with the target 1."""
    (z,) = student.leaves(z=[[0.5, 1.0, -2.0]])
    right = oracle(
        lambda z, hot: (z.log_softmax(1) * hot).sum() * -1.0, z=[[0.5, 1.0, -2.0]], hot=[[0.0, 1.0, 0.0]]
    )
    assert student.cross_entropy(z, given(student, [1])).data == approx(right.data)


@apart_from_log_softmax
def test_mean(student, oracle):
    """Three rows with three targets: the mean of their losses."""
    (z,) = student.leaves(z=Z)
    assert student.cross_entropy(z, given(student, TARGETS)).data == approx(oracle(loss, z=Z, hot=HOT).data)


@apart_from_log_softmax
def test_large_scores(student):
    """Scores of 1000 and 1001, and of -1000 and -1001, with the target 0 each: as of 0 and 1, and of 0 and -1."""
    (z,) = student.leaves(z=[[1000.0, 1001.0], [-1000.0, -1001.0]])
    assert student.cross_entropy(z, given(student, [0, 0])).data == approx(0.8132616875)


@apart_from_tensor
@apart_from_log_softmax
def test_gradient(student, oracle):
    """The gradient of z, added to what was there, with an upstream gradient of 2."""
    (z,) = student.leaves(z=Z)
    z.grad = student.array(ONES)
    out = student.cross_entropy(z, given(student, TARGETS))
    hand_on(student, out, student.array(2.0))
    judge_closure(student, out, z, ONES)
    slopes = oracle(loss, z=Z, hot=HOT).gradients["z"]
    assert z.grad == approx([[1.0 + 2.0 * slope for slope in row] for row in slopes])


@apart_from_tensor
@apart_from_log_softmax
def test_way_back(student, oracle):
    """The gradient goes on from z, which is x times 2, to x."""
    x = way_back(student, lambda z: student.cross_entropy(z, given(student, TARGETS)), 1.0)
    slopes = oracle(loss, z=Z, hot=HOT).gradients["z"]
    assert x.grad == approx([[2.0 * slope for slope in row] for row in slopes])


@apart_from_log_softmax
def test_scores_stay(student):
    """cross_entropy leaves z as it is."""
    (z,) = student.leaves(z=Z)
    student.cross_entropy(z, given(student, TARGETS))
    assert z.data == Z
