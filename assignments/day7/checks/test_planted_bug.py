"""Which gradient is wrong, and where."""


def test_operation(answers):
    """planted_operation is the name of the operation whose gradient is wrong."""
    answers.judge("planted_operation")


def test_entries(answers):
    """planted_entries holds the numbers of x at which it is wrong."""
    answers.judge("planted_entries")
