"""Engines that are right in another way get full marks: a correct engine is never failed.

Each file of `variants/` is an engine as somebody else would write it. Its first line names the days
that it fits. There it takes the place of the reference's engine; the rest of the assignment, the
answers above all, is the reference's.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import cells

from grader.assignment import Course
from grader.course import top_level
from grader.grading import Grader, with_grader
from grader.sandbox import Launcher
from grader.submission import read_submission

if TYPE_CHECKING:
    from grader.report import Report

FOLDER = Path(__file__).with_name("variants")
COURSE = Course.find(FOLDER)
FITS = re.compile(r"# days: (.+)")
DAY = re.compile(r"(day\d)(?: but (\w+))?")
ENGINE = {"Value", "Value.tanh"}  # what every variant defines, however it does


@dataclass(frozen=True)
class Variant:
    """An engine, and for each day that it fits the check that its style cannot pass, if there is one."""

    name: str
    source: str
    days: dict[str, str | None]

    @classmethod
    def read(cls, path: Path) -> Variant:
        source = path.read_text(encoding="utf-8")
        first = FITS.fullmatch(source.partition("\n")[0])
        assert first, f"{path}: the first line names the days, such as `# days: day2, day3 but deep_chain`"
        days = [DAY.fullmatch(text) for text in first[1].split(", ")]
        assert all(days), f"{path}: {first[1]}"
        return cls(path.stem, source, {day[1]: day[2] for day in days})

    def submission(self, day: str) -> str:
        """The day's reference in percent format, with this engine in the place of its own."""
        body = ast.parse(self.source).body
        mine = ENGINE | {part.name for part in body if isinstance(part, ast.ClassDef | ast.FunctionDef)}
        replaced = [i for i, source in enumerate(cells(day)) if mine & defined_names(source)]
        kept = [(i, source) for i, source in enumerate(cells(day)) if i not in replaced]
        sources = [source for _, source in sorted([*kept, (replaced[0], self.source)])]
        return "\n\n".join(f"# %%\n{source}" for source in sources)


def defined_names(source: str) -> set[str]:
    """The names that a cell of the author's defines or deletes at its top level; `Box.x` is one."""
    names: set[str] = set()
    for node in top_level(source):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.Delete):
            targets = [node.target] if isinstance(node, ast.AnnAssign) else node.targets
            names.update(ast.unparse(part) for target in targets for part in _parts(target))
    return names


def _parts(target: ast.expr) -> list[ast.expr]:
    """`a` and `b` of `a, b = ...`; else the target itself."""
    return list(target.elts) if isinstance(target, ast.Tuple | ast.List) else [target]


VARIANTS = [Variant.read(path) for path in sorted(FOLDER.glob("*.py"))]
DAYS = [day for day in COURSE.names if any(day in variant.days for variant in VARIANTS)]


def on_one_day(day: str) -> list[Variant]:
    """A share of the variants of a day: taken over all days, every other variant once; day 4 takes longest."""
    fits = [[name for name in v.days if name != "day4"] for v in VARIANTS[::2]]
    return [v for i, (v, days) in enumerate(zip(VARIANTS[::2], fits)) if days[i % len(days)] == day]


def on_every_day(day: str) -> list[Variant]:
    """All variants that fit the day."""
    return [v for v in VARIANTS if day in v.days]


def reports(day: str, variants: list[Variant], folder: Path) -> dict[str, Report]:
    """The report of each variant by its name; all are graded in one warm session."""
    path = folder / "submission.py"

    def job(grader: Grader) -> dict[str, Report]:
        found = {}
        for variant in variants:
            path.write_text(variant.submission(day), encoding="utf-8")
            found[variant.name] = grader.grade(read_submission(path))
        return found

    with Launcher() as launcher:
        return with_grader(COURSE.assignment(day), launcher, job)


def lost(report: Report) -> dict[str, str]:
    """The checks without full points, and what is said of them."""
    short = [check for check in report.checks if check.score != check.max_score]
    return {check.id: f"{check.outcome}: {check.message}" for check in short}


@pytest.mark.slow(after=1)
@pytest.mark.parametrize(
    ("day", "chosen"),
    [
        *((day, on_one_day) for day in DAYS if on_one_day(day)),
        *(pytest.param(day, on_every_day, marks=pytest.mark.slow) for day in DAYS),
    ],
    ids=lambda of: getattr(of, "__name__", of),
)
def test_every_variant_gets_full_marks(chosen, day, tmp_path):
    """Whatever holds the children, whatever gradients start as, however the rules are kept."""
    variants = chosen(day)

    found = {name: lost(report) for name, report in reports(day, variants, tmp_path).items()}

    style = {variant.name: variant.days[day] for variant in variants}
    assert {name: checks for name, checks in found.items() if checks.keys() - {style[name]}} == {}
    assert [name for name, check in style.items() if check and check not in found[name]] == []


def test_there_are_enough():
    """At least 25 for the days of closures, and ten for the days of every operation."""
    counts = {day: len(on_every_day(day)) for day in DAYS}

    enough = {"day2": 25, "day3": 25, "day4": 10, "day5": 10}
    assert {day: count for day, count in counts.items() if count < enough.get(day, 10)} == {}
