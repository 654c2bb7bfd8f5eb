"""How far the grading of a class is, and what came of it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.report import Report

SHOWN = 20  # students; of more the number is told
KINDS = {
    "full": "full marks",
    "less": "less",
    "todo": "nothing begun",
    "nothing": "nothing to grade",
    "ungradable": "could not be graded",
    "unread": "no result",
}


class Tally:
    """Counts students as they are done; `clock` gives seconds."""

    def __init__(self, total: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.total, self.clock, self.started = total, clock, clock()
        self.names: dict[str, list[str]] = {kind: [] for kind in KINDS}
        self.as_before = 0
        self.why: dict[str, str] = {}  # by student, where something has to be told of them

    def add(self, student: str, report: Report | None, trouble: str = "") -> None:
        """Count one; no report is one that is as before, or whose work could not be read for some trouble."""
        if trouble:
            self.names["unread"].append(student)
            self.why[student] = trouble
            return
        if report is None:
            self.as_before += 1
            return
        kind = _kind(report)
        self.names[kind].append(student)
        if kind in ("nothing", "ungradable"):
            wanted = [c for c in report.checks if kind == "nothing" or c.outcome is Outcome.UNGRADABLE]
            self.why[student] = wanted[0].message if wanted else ""

    @property
    def graded(self) -> int:
        """How many were graded in this run."""
        return sum(len(names) for kind, names in self.names.items() if kind != "unread")

    @property
    def done(self) -> int:
        """How many are done, those included that are as before."""
        return self.graded + self.as_before + len(self.names["unread"])

    def line(self) -> str:
        """Where it is: how many, how fast, how long still, and what came of them."""
        parts = [f"{self.done} of {self.total}"]
        elapsed = self.clock() - self.started
        if self.graded and elapsed > 0:
            rate = self.graded / elapsed
            parts += [f"{rate:.1f} a second", f"{duration((self.total - self.done) / rate)} left"]
        counts = [f"{len(names)} {KINDS[kind]}" for kind, names in self.names.items() if names]
        return ", ".join([*parts, *counts])

    def summary(self) -> list[str]:
        """What came of a run, with names where somebody has to look."""
        before = f", {self.as_before} as before" if self.as_before else ""
        took = duration(self.clock() - self.started)
        class_size = f"{self.done} student{'' if self.done == 1 else 's'}"
        lines = [f"{class_size}: {self.graded} graded in {took}{before}."]
        for kind, names in self.names.items():
            if names:
                lines += [f"  {KINDS[kind]:<20}{len(names):>5}", *self._who(names)]
        return lines

    def _who(self, names: list[str]) -> list[str]:
        """Each with why somebody has to look, the first few."""
        told = [f"    {name}  {self.why[name]}" for name in names if name in self.why]
        return told[:SHOWN] + ([f"    and {len(told) - SHOWN} more"] if len(told) > SHOWN else [])


def _kind(report: Report) -> str:
    if report.score is None:
        return "ungradable"
    if not report.submission.sha256:
        return "nothing"
    if report.outcome is Outcome.TODO and not report.score:
        return "todo"
    return "full" if report.score == report.max_score else "less"


def duration(seconds: float) -> str:
    """A time in words: `45 s`, `3 min`, `2 h 5 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
