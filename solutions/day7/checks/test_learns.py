"""The network reads at least nine of ten digits that it has not seen."""

from _helpers import learn, telling_of_tensor


@telling_of_tensor
def test_other_seed(student):
    """The same training from other weights."""
    assert learn(student, 7)[1] >= 0.9
