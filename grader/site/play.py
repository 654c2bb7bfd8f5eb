"""Play a graph that a student typed on the player's page in their own code, and trace it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from grader.render import escape_line
from grader.sandbox import StudentError, SubmissionStopped, Undefined
from grader.sandbox.student import Unanswered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.grading.grader import Grader
    from grader.submissions.submission import Submission


def play(grader: Grader, submission: Submission, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the trace, None if there is none, and the error that ended it, empty if none did."""
    topic, manifest, error = grader.suite.topic, grader.assignment.manifest, ""
    seconds = manifest.limits.check_seconds
    with grader.sandbox(submission.sources(grader.given_code)) as sandbox:
        student = topic.student(sandbox)
        watcher: Any = topic.watcher(sandbox, manifest)
        try:
            student.quietly("__name__")  # loads the submission, which is not watched
            sandbox.watcher = watcher.around
            with sandbox.budget.within("check_seconds", seconds):
                topic.play(student, given)
        except SubmissionStopped as stopped:  # its jail has ended, so there is no trace
            place = f", in `{stopped.place.function}`" if stopped.place else ""
            error = f"it ran for more than {seconds:g} s{place}" if stopped.hang else str(stopped)
            return {"trace": None, "error": escape_line(error)}
        except (StudentError, Undefined, Unanswered, AssertionError, AttributeError, TypeError) as failure:
            error = str(failure)  # of the submission, or of proxies of its objects
        sandbox.watcher = None
        trace = watcher.trace(sandbox.record, passed=False, hide=False)
    return {"trace": msgspec.to_builtins(trace), "error": escape_line(error)}
