"""Checks of a SubmissionStopped, for `pytest.raises(..., check=...)`: why the jail was ended."""

from grader.sandbox import SubmissionStopped


def past_a_limit(error: SubmissionStopped) -> bool:
    """It ran past a limit, which is named."""
    return bool(error.limit) and not error.forged


def forged(error: SubmissionStopped) -> bool:
    """It sent something that is not of the format."""
    return error.forged and not error.limit


def crashed(error: SubmissionStopped) -> bool:
    """Its process died."""
    return not error.limit and not error.forged
