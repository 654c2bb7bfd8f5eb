"""The network reads at least nine of ten digits that it has not seen."""

from _helpers import LEARNING


def test_other_seed(student):
    """The same training from other weights."""
    learn = student.helper(LEARNING, "learn")
    assert learn(student.MLP, student.SGD, student.train, student.Tensor, 7) >= 0.9
