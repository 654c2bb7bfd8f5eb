"""Cross-entropy and its gradients, on paper."""


def test_one_loss(answers):
    """one_loss is the loss of the scores 1, 2, 3 with the label 0."""
    answers.judge("one_loss")


def test_one_grads(answers):
    """one_grads holds the gradients of these scores."""
    answers.judge("one_grads")


def test_shifted_loss(answers):
    """shifted_loss is the loss of the scores 1000, 1001, 1002 with the label 0."""
    answers.judge("shifted_loss")


def test_batch_grads(answers):
    """batch_grads holds the gradients of two rows of scores, with the labels 2 and 0."""
    answers.judge("batch_grads")
