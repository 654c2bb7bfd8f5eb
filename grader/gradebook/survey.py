"""The class in figures, from a stream of grades: points, checks, mistakes with their students.

Earlier gradings show which checks fail in the same way each time.
"""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.gradebook.findings import causes_of, ways_of
from grader.gradebook.sentences import nothing_there, remarks
from grader.render.words import points_text
from grader.report import CheckResult, Outcome, SubmissionInfo

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from grader.gradebook.findings import CheckFinding
    from grader.gradebook.gradedwork import Grade, GradedWork
    from grader.gradebook.in_force import Override
    from grader.gradebook.store import Store
    from grader.topic import Topic

BINS = 10  # of the histogram
STUCK = 3  # versions of a student's work in which a check fails in the same way


class StudentLine(NamedTuple):
    """A student's line in the table of the class; `about` has remarks next to the points."""

    student: str
    score: float | None
    passed: int
    about: str


class Reason(NamedTuple):
    """A student whom the instructor should see first, and the reason."""

    student: str
    why: str


class _Bin(NamedTuple):
    """A range of points and its number of students; `words` names its ends, such as "60 to below 70"."""

    low: float
    words: str
    students: int


@dataclass
class MistakeGroup:
    """A mistake of the class: the first student's finding, all students, and the failed checks."""

    finding: CheckFinding
    students: list[str] = field(default_factory=list)
    checks: Counter[str] = field(default_factory=Counter)


@dataclass
class CheckFigures:
    """A check in the class: its title and maximum, the number of students for each outcome, and points by hand."""

    id: str
    title: str
    max_score: float
    outcomes: Counter[Outcome] = field(default_factory=Counter)
    by_hand: list[float] = field(default_factory=list)
    waiting: int = 0  # students without points from an instructor yet

    @property
    def figure(self) -> str:
        """The mean of the points by hand, else the share of students who pass; empty without both."""
        if self.by_hand:
            return f"mean {points_text(round(statistics.fmean(self.by_hand), 1))} of {points_text(self.max_score)}"
        return "" if self.share is None else f"{self.share:.0%}"

    @property
    def share(self) -> float | None:
        """The share of students who pass; None for a check that an instructor grades."""
        judged = sum(count for outcome, count in self.outcomes.items() if outcome is not Outcome.MANUAL)
        return self.outcomes[Outcome.PASSED] / judged if judged else None


@dataclass
class Survey:
    """The figures of a class. `add` takes one student after another and keeps only names and numbers."""

    topic: Topic
    pages: dict[str, str]  # the file of each student's page, for those with a result
    lines: list[StudentLine] = field(default_factory=list)
    ungradable: list[Reason] = field(default_factory=list)
    empty: list[Reason] = field(default_factory=list)  # students with nothing to grade
    absent: list[Reason] = field(default_factory=list)
    excused: list[Reason] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    most: float = 0.0
    checks: dict[str, CheckFigures] = field(default_factory=dict)
    groups: dict[tuple[str, ...], MistakeGroup] = field(default_factory=dict)
    stuck: list[tuple[str, StuckCheck]] = field(default_factory=list)

    def add(self, grade: GradedWork) -> None:
        """Count one student."""
        student, report, nothing = grade.student, grade.report, nothing_there(grade)
        passed = sum(check.outcome is Outcome.PASSED for check in report.checks)
        self.lines.append(StudentLine(student, grade.score, passed, "; ".join(remarks(grade))))
        self.most = max(self.most, grade.max_score)
        if grade.score is not None:
            self.scores.append(grade.score)
        if grade.excused is not None:
            self.excused.append(Reason(student, grade.excused.why))
        elif grade.score is None:
            broken = [check for check in report.checks if check.outcome is Outcome.UNGRADABLE]
            self.ungradable.append(
                Reason(student, "; ".join(f"{check.id}: {check.message}" for check in broken))
            )
        elif nothing:
            self.empty.append(Reason(student, nothing))
        for check in report.checks:
            self._count(check, grade)
        self._group(student, report.checks)

    def add_absent(self, student: str, why: str, excused: Override | None = None) -> None:
        """Count a student without a result, and the reason."""
        kept = self.absent if excused is None else self.excused
        kept.append(Reason(student, why if excused is None else excused.why))
        about = f"no result: {why}" if excused is None else "excused"
        self.lines.append(StudentLine(student, None, 0, about))

    def add_gradings(self, grade: Grade, gradings: Sequence[Past]) -> None:
        """Count the checks of a student that keep failing in one way."""
        counting = [past for past in gradings if past.version and past.key == grade.key]
        self.stuck += [
            (grade.student, one) for now in counting[-1:] for one in _stuck_checks(gradings, now, self.topic)
        ]

    def _count(self, check: CheckResult, grade: Grade) -> None:
        figures = self.checks.setdefault(check.id, CheckFigures(check.id, check.title, check.max_score))
        figures.outcomes[check.outcome] += 1
        if check.outcome is not Outcome.MANUAL or grade.excused is not None:
            return
        if check.id in grade.waiting:
            figures.waiting += 1
        else:
            figures.by_hand.append(grade.checks[check.id])

    def _group(self, student: str, checks: Iterable[CheckResult]) -> None:
        seen = set()
        for check in checks:
            for cause, finding in causes_of(check, self.topic).items():
                group = self.groups.setdefault(cause, MistakeGroup(finding))
                group.finding = group.finding.join(finding, self.topic)
                group.checks[check.id] += 1
                if cause not in seen:
                    group.students.append(student)
                seen.add(cause)

    def commonest(self) -> list[MistakeGroup]:
        """Return the mistakes, the most common first, then in the order of the checks."""
        order = {check: place for place, check in enumerate(self.checks)}
        return sorted(
            self.groups.values(),
            key=lambda group: (-len(group.students), min(order[check] for check in group.checks)),
        )

    def bins(self) -> list[_Bin]:
        """Return the points of the class in ranges of equal width; empty without points."""
        if not self.scores or not self.most:
            return []
        counts = Counter(min(int(score / self.most * BINS), BINS - 1) for score in self.scores)
        lows = [self.most * place / BINS for place in range(BINS)]
        ends = [*(f"below {points_text(low)}" for low in lows[1:]), points_text(self.most)]
        return [
            _Bin(low, f"{points_text(low)} to {end}", counts[i])
            for i, (low, end) in enumerate(zip(lows, ends, strict=True))
        ]


# --- Earlier gradings


class Past(msgspec.Struct):
    """One grading of a student's work, with the fields of its report that are compared or shown.

    Its texts come unchanged from the file: sanitize before you show one.
    """

    submission: SubmissionInfo
    checks: list[CheckResult]
    score: float | None = None
    key: str = ""
    graded: str = ""
    version: str | None = None  # of the student's work, if the grading counts for one now


class StuckCheck(NamedTuple):
    """A check that fails in the same way in the last `times` versions of a student's work, and what is wrong."""

    check: str
    times: int
    brief: str


def gradings_of(store: Store, assignment: str, student: str) -> list[Past]:
    """Return all gradings of a student, the oldest first. Raises Refused."""
    found = []
    for of in store.gradings(assignment, student):
        try:
            past = msgspec.json.decode(of.report, type=Past)
        except msgspec.DecodeError as error:
            raise store.damage_error(f"a report of {student}", error) from error
        past.key, past.graded, past.version = of.key, of.graded, of.version
        found.append(past)
    return found


def _stuck_checks(gradings: Sequence[Past], now: Past, topic: Topic) -> list[StuckCheck]:
    """Return the checks that fail in the same way in at least STUCK versions of the work, up to the one that counts."""
    last = gradings[: gradings.index(now) + 1]
    versions = {
        past.submission.sha256: past for past in last
    }  # in the order of handing in, each as graded last
    versions[now.submission.sha256] = now
    found = []
    for check in now.checks:
        ways, times = ways_of(check, topic), 0
        for past in reversed(versions.values()) if ways else ():
            earlier = next((one for one in past.checks if one.id == check.id), None)
            if earlier is None or ways_of(earlier, topic) != ways:
                break
            times += 1
        if times >= STUCK:
            found.append(
                StuckCheck(check.id, times, "; ".join(one.brief for one in causes_of(check, topic).values()))
            )
    return found
