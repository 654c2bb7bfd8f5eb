"""The grade of record: what the checks found, overrides, and lateness, together.

It is made anew from what is kept whenever it is asked for, so an edited due date, an extension or an override
counts at once and nothing is graded again. In this order:

1. the points of each check, as the report has them;
2. a check that is void has all its points for everybody who handed in something: nobody loses by a check that
   was wrong, and nobody gains by doing nothing;
3. points that a human gave a student for a check take the place of both;
4. lateness takes its part (late.py);
5. of the last work in time and the last late work the better one counts, or with `keep: last` the late one;
6. a student who is excused has no score.
"""

from __future__ import annotations

import datetime as dt
import hashlib
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

import msgspec

from grader.gradebook.late import (
    Lateness,  # msgspec reads the annotations
    after_penalty,
    final_from,
    is_final,
    keeps_best,
    lateness,
    read_extensions,
)
from grader.gradebook.store import Decision, Submitted  # noqa: TC001  the same
from grader.report import Outcome, exact, rounded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.gradebook.late import Extension
    from grader.gradebook.store import Result, Store
    from grader.manifest import Manifest
    from grader.report import CheckResult, Report


class Changed(msgspec.Struct, frozen=True):
    """Points of a check that a human has changed; `was` is None where it could not be graded."""

    check: str
    was: float | None
    now: float
    decision: Decision


class Other(msgspec.Struct, frozen=True):
    """The version of a student's work that does not count: when it came, and its points after the penalty."""

    score: float
    late: Lateness


class Record(msgspec.Struct, frozen=True):
    """The grade of record of one student.

    `score` is None where there is none: excused, or a check could not be graded. `before_penalty` is the
    score without lateness, `checks` what each check counts. While a grade is `provisional`, later work may
    still count, until `final_from` where that is known. `other` is the work in time beside late work that counts,
    or late work beside work in time that counts.
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
    provisional: bool = False
    final_from: dt.datetime | None = None
    other: Other | None = None

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
    final: bool = False
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
            final=any(d.kind == "final" for d in counting),
            nothing=nothing,
        )


def records_of(
    assignment: Assignment, store: Store, *, declare: bool | None = None
) -> Iterator[tuple[Record, Report]]:
    """Yield the grade of record of everybody, with the report behind it.

    `declare` previews `grade post --final` (or `--provisional`), whatever the store holds.
    Raises Refused.
    """
    words = Words.of(store.decisions(assignment.name), _nothing(assignment))
    extensions = read_extensions(assignment)
    words = words if declare is None else replace(words, final=declare)
    now = dt.datetime.now(dt.UTC)
    for student, results in groupby(store.results(assignment.name), key=attrgetter("student")):
        extension = extensions.get(student)
        both = [(record_of(r, words, assignment.manifest, extension, now), r.report) for r in results]
        yield _counting(both, assignment.manifest)


def _counting(both: Sequence[tuple[Record, Report]], manifest: Manifest) -> tuple[Record, Report]:
    """Choose between the last work, which comes first, and the last in time where there is one.

    Both are beside each other only where the one is late and the other is not, by today's dates.
    """
    (last, _), *more = both
    in_time = more[0][0] if more else None
    if in_time is None or not (keeps_best(manifest) and last.late and last.late.days and in_time.late):
        return both[0]
    if in_time.late.days or last.excused is not None:
        return both[0]
    if last.score is None or in_time.score is None:
        return both[0] if last.score is None else both[1]
    number = int(in_time.score >= last.score)
    (record, report), (other, _) = both[number], both[1 - number]
    assert other.late is not None
    assert other.score is not None
    work = msgspec.structs.replace(record.work, notes=last.work.notes)  # kept with the last work alone
    return msgspec.structs.replace(record, work=work, other=Other(other.score, other.late)), report


@dataclass(frozen=True)
class Absent:
    """A student of the class without a result, and why; `excused` where a human said so."""

    student: str
    why: str
    excused: Decision | None = None


def absent_of(assignment: Assignment, store: Store) -> list[Absent]:
    """Everybody of the class without a result, by student. Raises Refused."""
    excused = Words.of(store.decisions(assignment.name)).excused
    found = store.absent(assignment.name)
    return [Absent(student, why, excused.get(student)) for student, why in found.items()]


def record_of(
    result: Result, words: Words, manifest: Manifest, extension: Extension | None, now: dt.datetime
) -> Record:
    """Return the grade of record of one student, as it stands at the moment `now`."""
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
        provisional=not is_final(manifest, extension, now, declared=words.final),
        final_from=final_from(manifest, extension),
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
