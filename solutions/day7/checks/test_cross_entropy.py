"""Minus log softmax at the target, the mean over the rows."""

from _helpers import apart_from_tensor
from grader.autograd import apart_from_log_softmax, hand_on
from pytest import approx


@apart_from_tensor
@apart_from_log_softmax
def test_random(student, rng, oracle):
    """The gradient of five rows of ten scores."""
    numbers = [[round(rng.uniform(-4, 4), 3) for _ in range(10)] for _ in range(5)]
    targets = [rng.randrange(10) for _ in range(5)]
    hot = [[float(place == target) for place in range(10)] for target in targets]
    (z,) = student.leaves(z=numbers)
    right = oracle(lambda z, hot: (z.log_softmax(1) * hot).sum() / -5.0, z=numbers, hot=hot)
    out = student.cross_entropy(z, student.array(targets, dtype="int64"))
    hand_on(student, out, student.array(1.0))
    assert z.grad == approx(right.gradients["z"])


@apart_from_log_softmax
def test_same_target(student, oracle):
    """Two rows with the same target."""
    numbers = [[0.5, -1.5, 2.0], [1.0, 0.25, -0.5]]
    (z,) = student.leaves(z=numbers)
    hot = [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]
    right = oracle(lambda z, hot: (z.log_softmax(1) * hot).sum() / -2.0, z=numbers, hot=hot)
    assert student.cross_entropy(z, student.array([0, 0], dtype="int64")).data == approx(right.data)
