"""A network whose loss does not fall, and why."""


def test_reason(answers):
    """A choice: which of the four is right."""
    answers.judge("stuck_reason")
