"""Play a graph that a student typed on the player's page in their own code, and trace it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from grader.grading.locations import where_of
from grader.render import escape_line
from grader.sandbox import StudentError, SubmissionStopped, Undefined
from grader.sandbox.student import Unanswered

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.grading.grader import Grader
    from grader.submissions.submission import Sources, Submission


def play(grader: Grader, submission: Submission, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the trace, None if there is none, and the error that ended it, empty if none did."""
    topic, manifest, error = grader.suite.topic, grader.assignment.manifest, ""
    seconds = manifest.limits.check_seconds
    blocks = submission.sources(grader.given_code)
    with grader.sandbox(blocks) as sandbox:
        student = topic.student(sandbox)
        watcher: Any = topic.watcher(sandbox, manifest)
        try:
            student.quietly("__name__")  # loads the submission, which is not watched
            sandbox.watcher = watcher.around
            with sandbox.budget.within("check_seconds", seconds):
                topic.play(student, given)
        except SubmissionStopped as stopped:  # its jail has ended, so there is no trace
            error = f"it ran for more than {seconds:g} s" if stopped.hang else str(stopped)
            return {"trace": None, "error": escape_line(f"{error}{_place(stopped, blocks)}")}
        except (StudentError, Undefined, Unanswered, AssertionError, AttributeError, TypeError) as failure:
            cause = (
                f", because its cell stopped with {failure.cause}"
                if isinstance(failure, Undefined) and failure.cause
                else ""
            )
            error = f"{failure}{cause}{_place(failure, blocks)}"  # of the submission, or of proxies of its objects
        sandbox.watcher = None
        trace = watcher.trace(sandbox.record, passed=False, hide=False)
    return {"trace": msgspec.to_builtins(trace), "error": escape_line(error)}


def _place(error: Exception, blocks: Sources) -> str:
    """Return the function and the line in which an error ended the student's code, if known."""
    where = where_of(error, blocks)
    inside = f", in `{where.inside}`" if where and where.inside else ""
    return f"{inside}, at `{where.text}`" if where else ""
