"""Where a test went in the student's code, and which answer it did not like: asked when it has ended."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from grader.report import Outcome
from grader.sandbox import StudentError, SubmissionStopped
from grader.student import Unanswered

if TYPE_CHECKING:
    from grader.sandbox import Sandbox
    from grader.suite import TestResult


def trace(result: TestResult, sandbox: Sandbox) -> None:
    """Note where a test went; a jail that does not tell costs nothing but the place."""
    record = sandbox.record
    result.answers, result.named = tuple(record.answers), frozenset(record.named)
    asked = _answer_in_question(result)
    judged = result.outcome in (Outcome.PASSED, Outcome.FAILED)
    if sandbox.is_open and (asked or (judged and record.proxies and sandbox.rule)):
        with contextlib.suppress(SubmissionStopped, StudentError), sandbox.explaining():
            result.went = sandbox.where(asked)


def _answer_in_question(result: TestResult) -> list[str]:
    """The name of the answer that a test did not like, where that can be told."""
    if isinstance(result.error, Unanswered):
        return [result.error.name]
    if result.outcome is not Outcome.FAILED or isinstance(result.error, StudentError):
        return []
    names = list(dict.fromkeys(result.answers))
    if len(names) > 1 and result.failure:
        text = " ".join([result.failure.text, *(row.label for row in result.failure.readings)])
        names = [name for name in names if re.search(rf"\b{re.escape(name)}\b", text)]
    return names if len(names) == 1 else []
