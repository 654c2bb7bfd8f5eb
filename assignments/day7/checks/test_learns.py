"""The network reads at least nine of ten digits that it has not seen."""

from _helpers import LEARNING


def test_held_out(student):
    """64-32-10, 15 passes, batches of 50, rate 0.1, momentum 0.9: the share of the 297 held-out digits that it reads."""
    learn = student.helper(LEARNING, "learn")
    share = learn(student.MLP, student.SGD, student.train, student.Tensor, 0)
    student.note("the share that it reads", share)
    assert share >= 0.9, (
        f"It reads {share:.3f} of the held-out digits after training; at least 0.9 is asked for."
    )
