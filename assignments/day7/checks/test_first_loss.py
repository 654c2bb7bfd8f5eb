"""What the loss is before anything is learned."""


def test_first_loss(answers):
    """first_loss is the cross-entropy of ten equal scores."""
    answers.judge("first_loss")
