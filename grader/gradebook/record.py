"""The grade of record: what the checks found, a human's word about it, and lateness, together.

It is made anew from what is kept whenever it is asked for, so an edited due date, an extension or an override
counts at once and nothing is graded again. In this order:

1. the points of each check, as the report has them;
2. a check that is void has all its points for everybody who handed in something: nobody loses by a check that
   was wrong, and nobody gains by doing nothing;
3. points that a human gave a student for a check take the place of both;
4. lateness takes its part (late.py);
5. a student who is excused has no score.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from grader.gradebook.late import (
    Lateness,  # msgspec reads the annotations
    after_penalty,
    lateness,
    read_extensions,
)
from grader.report import Outcome, exact, rounded
from grader.store import Decision, Submitted  # noqa: TC001  the same

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from grader.assignment import Assignment
    from grader.gradebook.late import Extension
    from grader.manifest import Manifest
    from grader.report import CheckResult, Report
    from grader.store import Result, Store


class Changed(msgspec.Struct, frozen=True):
    """Points of a check that a human has changed; `was` is None where it could not be graded."""

    check: str
    was: float | None
    now: float
    decision: Decision


class Record(msgspec.Struct, frozen=True):
    """The grade of record of one student.

    `score` is None where there is none: excused, or a check could not be graded. `before_penalty` is the
    score without lateness, `checks` what each check counts.
    """

    student: str
    key: str
    score: float | None
    max_score: float
    before_penalty: float | None
    checks: dict[str, float]
    changed: tuple[Changed, ...]
    late: Lateness | None
    excused: Decision | None
    work: Submitted

    @property
    def penalty(self) -> float:
        """The points that lateness took."""
        if self.score is None or self.before_penalty is None:
            return 0.0
        return rounded(exact(self.before_penalty) - exact(self.score))


@dataclass(frozen=True)
class Words:
    """What humans have decided, as it counts now: the newest of each kind, without what was withdrawn."""

    points: Mapping[tuple[str, str], Decision]
    void: Mapping[str, Decision]
    excused: Mapping[str, Decision]
    nothing: frozenset[str] = frozenset({""})  # hashes of submissions that hold no work of the student's

    @classmethod
    def of(cls, decisions: Iterable[Decision], nothing: frozenset[str] = frozenset({""})) -> Words:
        """Of all decisions about an assignment, the oldest first."""
        newest = {(d.kind, d.student, d.check): d for d in decisions}
        counting = [d for d in newest.values() if not d.withdrawn]
        return cls(
            points={(d.student, d.check): d for d in counting if d.kind == "points"},
            void={d.check: d for d in counting if d.kind == "void"},
            excused={d.student: d for d in counting if d.kind == "excuse"},
            nothing=nothing,
        )


def records_of(assignment: Assignment, store: Store) -> Iterator[tuple[Record, Report]]:
    """The grade of record of everybody, with the report behind it. Raises RosterError, StoreError."""
    words = Words.of(store.decisions(assignment.name), _nothing(assignment))
    extensions = read_extensions(assignment)
    for result in store.results(assignment.name):
        extension = extensions.get(result.student)
        yield record_of(result, words, assignment.manifest, extension), result.report


def record_of(result: Result, words: Words, manifest: Manifest, extension: Extension | None) -> Record:
    """The grade of record of one student."""
    counted = [_counted(check, result, words) for check in result.report.checks]
    points = [None if unsure else now for _, now, unsure in counted]
    most = sum((exact(check.max_score) for check in result.report.checks), Fraction())
    late = lateness(manifest, extension, _moment(result.work), verified=result.work.verified)
    total = None if None in points else sum((exact(now) for now in points if now is not None), Fraction())
    excused = words.excused.get(result.student)
    if excused is not None:
        total = None
    return Record(
        student=result.student,
        key=result.key,
        score=None if total is None else rounded(after_penalty(manifest, late, total, most)),
        max_score=rounded(most),
        before_penalty=None if total is None else rounded(total),
        checks={check.id: now for check, (_, now, _) in zip(result.report.checks, counted, strict=True)},
        changed=tuple(change for change, _, _ in counted if change),
        late=late,
        excused=excused,
        work=result.work,
    )


def _counted(check: CheckResult, result: Result, words: Words) -> tuple[Changed | None, float, bool]:
    """What a human changed about a check, what it counts, and whether nobody can tell."""
    unsure = check.outcome is Outcome.UNGRADABLE
    void = {} if result.report.submission.sha256 in words.nothing else words.void
    decision = words.points.get((result.student, check.id)) or void.get(check.id)
    if decision is None:
        return None, check.score, unsure
    now = check.max_score if decision.points is None else min(decision.points, check.max_score)
    return Changed(check.id, None if unsure else check.score, now, decision), now, False


def _nothing(assignment: Assignment) -> frozenset[str]:
    """Hashes of a file that is missing or unreadable, and of the notebook as it was handed out."""
    pristine = assignment.pristine
    untouched = {hashlib.sha256(pristine.read_bytes()).hexdigest()} if pristine.is_file() else set()
    return frozenset({"", *untouched})


def _moment(work: Submitted) -> dt.datetime | None:
    return dt.datetime.fromisoformat(work.submitted) if work.submitted else None
