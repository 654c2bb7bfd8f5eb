"""Each row for itself, also with large scores."""

from _helpers import apart_from_tensor
from grader.autograd import hand_on
from pytest import approx


@apart_from_tensor
def test_random(student, rng, oracle):
    """The gradient of five rows of three scores."""
    numbers = [[round(rng.uniform(-4, 4), 3) for _ in range(3)] for _ in range(5)]
    upstream = [[round(rng.uniform(-2, 2), 3) for _ in range(3)] for _ in range(5)]
    (z,) = student.leaves(z=numbers)
    right = oracle(lambda z, u: z.log_softmax(1) * u, z=numbers, u=upstream)
    out = student.log_softmax(z)
    hand_on(student, out, student.array(upstream))
    assert z.grad == approx(right.gradients["z"])


def test_numbers(student, rng, oracle):
    """Two rows of six scores."""
    numbers = [[round(rng.uniform(-4, 4), 3) for _ in range(6)] for _ in range(2)]
    (z,) = student.leaves(z=numbers)
    assert student.log_softmax(z).data == approx(oracle(lambda z: z.log_softmax(1), z=numbers).data)


def test_large_and_small(student):
    """Rows of very large and very small scores in one matrix."""
    (z,) = student.leaves(z=[[800.0, 0.0], [0.0, -800.0], [-5000.0, -2000.0]])
    assert student.log_softmax(z).data == approx([[0.0, -800.0], [0.0, -800.0], [-3000.0, 0.0]], abs=1e-9)
