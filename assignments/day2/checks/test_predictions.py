"""Predicted gradients: what you wrote down on paper, compared with a walk."""


def test_product(answers):
    """product_grads holds the gradients of a, b, c and d."""
    answers.judge("product_grads")


def test_sum_times(answers):
    """sum_times_grads holds the gradients of a, b, c and e."""
    answers.judge("sum_times_grads")


def test_twice_with_assignment(answers):
    """twice_with_assignment says what `=` would leave: the contribution that is written last, alone."""
    answers.judge("twice_with_assignment")
