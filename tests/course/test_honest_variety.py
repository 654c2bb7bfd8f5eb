"""Right engines in other styles get full marks.

Each file of `variants/` is an engine as somebody else would write it. Its first line names the days
that it fits. There it takes the place of the reference's engine; the rest of the assignment, the
answers above all, is the reference's.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sampled import every
from variety import COURSE, VARIANTS, Variant

from grader.grading.grader import open_grader
from grader.sandbox import Launcher
from grader.submissions.submission import read_submission

if TYPE_CHECKING:
    from grader.report import Report

DAYS = [day for day in COURSE.names if any(day in variant.days for variant in VARIANTS)]


def on_one_day(day: str) -> list[Variant]:
    """Return some variants for a day: over all days, every other variant once; few on day 4, which takes longest."""
    fits = [[name for name in v.days if name != "day4"] or ["day4"] for v in VARIANTS[::2]]
    return [v for i, (v, days) in enumerate(zip(VARIANTS[::2], fits)) if days[i % len(days)] == day]


def on_every_day(day: str) -> list[Variant]:
    """Return all variants that fit the day."""
    return [v for v in VARIANTS if day in v.days]


def on_other_days(day: str) -> list[Variant]:
    """Return the variants that fit the day, without those that `on_one_day` has; every fourth."""
    others = [v for v in on_every_day(day) if v not in on_one_day(day)]
    return every(4, others)


def reports(day: str, variants: list[Variant], folder: Path) -> dict[str, Report]:
    """Return the report of each variant by its name; all are graded in one session."""
    path = folder / "submission.py"

    found = {}
    with Launcher() as launcher, open_grader(COURSE.assignment(day), launcher) as grader:
        for variant in variants:
            path.write_text(variant.submission(day), encoding="utf-8")
            found[variant.name] = grader.grade(read_submission(path))
    return found


def lost(report: Report) -> dict[str, str]:
    """Return the checks without full points, with outcome and message."""
    short = [check for check in report.checks if check.score != check.max_score]
    return {check.id: f"{check.outcome}: {check.message}" for check in short}


@pytest.mark.parametrize(
    ("day", "chosen"),
    [
        *((day, on_one_day) for day in DAYS if on_one_day(day)),
        *(pytest.param(day, on_other_days, marks=pytest.mark.ci) for day in DAYS),
    ],
    ids=lambda of: getattr(of, "__name__", of),
)
def test_every_variant_gets_full_marks(chosen, day, tmp_path):
    """Children, gradients and rules may be kept in any way."""
    variants = chosen(day)

    found = {name: lost(report) for name, report in reports(day, variants, tmp_path).items()}

    style = {variant.name: variant.days[day] for variant in variants}
    assert {name: checks for name, checks in found.items() if checks.keys() - {style[name]}} == {}
    assert [name for name, check in style.items() if check and check not in found[name]] == []


def test_there_are_enough():
    """There are at least 25 for the days of closures, and ten for the days of all operations."""
    counts = {day: len(on_every_day(day)) for day in DAYS}

    enough = {"day2": 25, "day3": 25, "day4": 10, "day5": 10}
    assert {day: count for day, count in counts.items() if count < enough.get(day, 10)} == {}
