"""A small class and its work, for the tests of what is graded and kept."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path

from minicourse import FILES, put
from msgspec.structs import replace

from grader.assignment import Assignment, Course
from grader.fleet.batch import GradedVersion, grade_class
from grader.fleet.session import close_sessions
from grader.gradebook.gradedwork import GradedWork
from grader.gradebook.store import Store
from grader.report import AssignmentInfo, CheckResult, GraderInfo, Outcome, Report, SubmissionInfo
from grader.submissions.work import FoundStudent, HandedIn, Work

GOOD = "def double(x):\n    return x + x\n\n\nclass Box:\n    def __init__(self, n):\n        self.number = n\n\n    def grow(self):\n        self.number = double(self.number)\n"
SQUARES = GOOD.replace("x + x", "x * x")
FORGETS = GOOD.replace("self.number = double(self.number)", "double(self.number)")
EMPTY = "x = 1\n"


def course(root: Path) -> Assignment:
    """The miniature course, without what is generated."""
    for name, text in FILES.items():
        put(root, name, text)
    return Course(root).assignment("mini")


def work(source: str | None, **more) -> Work:
    """A student's work."""
    return Work("mini.py", data=None if source is None else source.encode(), **more)


def found(works: dict[str, Work | str | None]) -> list[FoundStudent]:
    """A class by its students."""
    return [
        FoundStudent(student, lambda student=student, given=given: by(student, as_work(given)))
        for student, given in works.items()
    ]


def as_work(given: Work | str | None) -> Work:
    """Make a text into a student's work."""
    return given if isinstance(given, Work) else work(given)


def by(student: str, handed_in: HandedIn) -> HandedIn:
    """The same, handed in by this student."""
    return replace(handed_in, student=student)


class Here:
    """A pool in this process, for tests in which no process is the point: each call is done when `submit` returns."""

    jobs = 0  # none waits

    def submit(self, call, /, *args, **options):
        """Call at once."""
        future = Future()
        try:
            future.set_result(call(*args, **options))
        except Exception as error:
            future.set_exception(error)
        return future

    def __enter__(self):
        return self

    def __exit__(self, *_):
        close_sessions()


def graded(assignment: Assignment, works: dict, store: Store, **options) -> dict[str, GradedVersion]:
    """Grade a class and keep it, in this process."""
    with Here() as pool:
        return {one.student: one for one in grade_class(assignment, found(works), store, pool, **options)}


def results_in(store: Store, assignment: str = "mini") -> list[GradedWork]:
    """The gradings that count, by student, the last work's before that of the work on time."""
    return [one for student in store.students(assignment) for one in store.results_of(assignment, student)]


def scores(store: Store, assignment: str = "mini") -> dict[str, float | None]:
    """Return the score of each student's result."""
    return {result.student: result.report.score for result in results_in(store, assignment)}


def moment(text: str) -> str:
    """A time in UTC, on a day of December: `01T23:59`."""
    return f"2025-12-{text}:00+00:00"


def told(scores: dict[str, float], assignment: str = "mini", *, manual: Iterable[str] = (), **more) -> Report:
    """A report with these points of 10 for each check, and manual checks of 10 points."""
    checks = [
        CheckResult(
            id=check,
            title=f"What {check} is about.",
            outcome=Outcome.PASSED if score == 10 else Outcome.FAILED,
            score=score,
            max_score=10,
            visibility="visible",
            message="" if score == 10 else "it is wrong",
        )
        for check, score in scores.items()
    ]
    checks += [
        CheckResult(
            check, f"Why {check} is so.", Outcome.MANUAL, 0, 10, "visible", "Your instructor grades this."
        )
        for check in manual
    ]
    given = {
        "assignment": AssignmentInfo(assignment, "Doubling"),
        "submission": SubmissionInfo("mini.py", "0" * 64, ""),
        "grader": GraderInfo("1", "1" * 64, "3.11", []),
        "started": "2025-12-01T12:00:00+00:00",
        "seconds": 0.1,
        "score": sum(scores.values()),
        "max_score": 10.0 * len(checks),
        "outcome": Outcome.FAILED,
        "hidden_checks": True,
        "checks": checks,
    }
    return Report(**given | more)
