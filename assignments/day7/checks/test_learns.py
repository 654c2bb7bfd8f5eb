"""The network reads at least nine of ten digits that it has not seen."""

from _helpers import learn, telling_of_tensor


@telling_of_tensor
def test_held_out(student):
    """64-32-10, 15 passes, batches of 50, rate 0.1, momentum 0.9: the share of the 297 held-out digits that it reads."""
    first, share = learn(student, 0)
    student.note("the share that it reads", share)
    assert share >= 0.9, (
        f"Before training the loss of 50 digits is {first:.2f}. After it, the network reads {share:.3f} of the held-out digits; at least "
        "0.9 is asked for."
    )
