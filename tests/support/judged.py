"""Sources of a day, graded in one warm grader."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from helpers import COURSE

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.grading.run import Running
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submissions.submission import submission_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from grader.report import CheckResult, Report
    from grader.submissions.submission import Block, Submission


def submission_of(source: str) -> Submission:
    """Return a source in percent format as a submission."""
    return submission_from(Path("/nowhere/submission.py"), source.encode())


@contextmanager
def grading(day: str) -> Iterator[Callable[[str], Report]]:
    """Yield a function that grades sources of a day, by all checks, in one warm grader."""
    with Launcher() as launcher, open_grader(Course(COURSE).assignment(day), launcher) as grader:
        yield lambda source: grader.grade(submission_of(source))


@contextmanager
def judging(day: str) -> Iterator[Callable[..., dict[str, CheckResult]]]:
    """Yield a function that judges work of a day by all checks or one, without a word why: the verdicts by name.

    Work is a source, or blocks of source.
    """
    with Launcher() as launcher, open_grader(Course(COURSE).assignment(day), launcher) as grader:

        def judged(work: str | Sequence[Block], only: str | None = None) -> dict[str, CheckResult]:
            blocks = submission_of(work).blocks if isinstance(work, str) else work
            with grader.sandbox(blocks) as sandbox:
                tests = grader.suite.tests_of({only} if only else None)
                results = grader.suite.judge(Running(sandbox, None, lambda _: False), tests)
            return {check.id: check for check in grader.verdicts.of(results, only)}

        yield judged


def lost(checks: Mapping[str, CheckResult]) -> dict[str, str]:
    """Return the checks without full points, with outcome and message."""
    short = [check for check in checks.values() if check.score != check.max_score]
    return {check.id: f"{check.outcome}: {check.message}" for check in short}


def with_outcome(checks: Mapping[str, CheckResult], outcome: Outcome) -> set[str]:
    """Return the checks with this outcome."""
    return {name for name, check in checks.items() if check.outcome is outcome}
