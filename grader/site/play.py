"""Play a graph that a student typed on the player's page in their own code, and trace it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from grader.render import escape_line
from grader.sandbox import Deadline, StudentError, SubmissionStopped, Undefined
from grader.sandbox.student import Unanswered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.grading.grader import Grader
    from grader.submissions.submission import Submission

SECONDS = 10.0
# What a submission raises, and what proxies of its objects raise.
_FAILURES = (
    StudentError,
    Undefined,
    Unanswered,
    SubmissionStopped,
    AssertionError,
    AttributeError,
    TypeError,
)


def play(grader: Grader, submission: Submission, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the trace, None if there is none, and the error that ended it, empty if none did."""
    topic, error = grader.suite.topic, ""
    with grader.sandbox(submission.sources(grader.given_code), Deadline(SECONDS)) as sandbox:
        student = topic.student(sandbox)
        watcher = topic.watcher(sandbox, grader.assignment.manifest)
        assert watcher is not None
        try:
            student.quietly("__name__")  # loads the submission, which is not watched
            sandbox.watcher = watcher.around
            topic.play(student, given)
        except _FAILURES as failure:
            error = str(failure)
        sandbox.watcher = None
        trace = watcher.trace(sandbox.record, passed=False, hide=False)
    return {"trace": msgspec.to_builtins(trace), "error": escape_line(error)}
