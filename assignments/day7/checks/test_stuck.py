"""A network whose loss does not fall, and why."""


def test_dead(answers):
    """stuck_dead is the number of dead units."""
    answers.judge("stuck_dead")


def test_reason(answers):
    """The answer is one of the letters A to D, in quotes."""
    answers.judge("stuck_reason")
