"""Helpers that read the rules of an engine back, alone and in a whole grading."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import cells

from grader.assignment import Course
from grader.autograd.arrays import probe as of_arrays
from grader.autograd.rules import probe
from grader.autograd.rules.operations import KNOWN, operations_of
from grader.autograd.rules.wrong import read_wrong
from grader.autograd.walks import explain as walks
from grader.grading import grader as grading
from grader.grading.grader import open_grader
from grader.manifest import Limits
from grader.sandbox import Deadline, Launcher, Sandbox
from grader.submissions.submission import read_submission

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.autograd.rules.wrong import WrongOperation
    from grader.report import Report

TESTS = Path(__file__).resolve().parents[1]
COURSE = Course.find(TESTS)
ALL = list(KNOWN)
OF_DAY = {"day1": ["+", "*", "neg", "-"], "day2": ["+", "*", "tanh"], "day3": ["+", "*", "tanh"]}
PATIENCE = 60.0  # seconds for one engine: no test depends on how fast the machine is


def read_engine(launcher: Launcher, source: str, operations: Sequence[str] = ALL) -> list[WrongOperation]:
    """Return what is wrong about the engine in a source."""
    box = Sandbox(launcher, [source], Limits(), ["numpy"], deadline=Deadline(PATIENCE))
    try:
        with box.explaining():
            return read_wrong(box, operations_of(operations))
    finally:
        box.close()


def source_of(engine: str) -> str:
    """Return the source of one of the engines in tests/engines."""
    return (TESTS / "engines" / f"{engine}.py").read_text(encoding="utf-8")


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give explanations all the time that they need."""
    monkeypatch.setattr(grading, "EXPLAIN_SECONDS", PATIENCE)
    for limited in (probe, of_arrays, walks):
        monkeypatch.setattr(limited, "SECONDS", PATIENCE)


def submission(day: str, engine: str) -> str:
    """Return the day's reference in percent format with another engine."""
    sources = [engine if "class Value" in source else source for source in cells(day)]
    return "\n\n".join(f"# %%\n{source}" for source in sources)


def graded(
    launcher: Launcher, folder: Path, day: str, *sources: str, only: str | None = None
) -> list[Report]:
    """Grade several submissions of a day in one session, by every check or by one alone."""
    path = folder / "submission.py"

    reports = []
    with open_grader(COURSE.assignment(day), launcher) as grader:
        for source in sources:
            path.write_text(source, encoding="utf-8")
            reports.append(grader.grade(read_submission(path), only))
    return reports


MUL = ("self.grad += other.data * out.grad", "self.grad += self.data * out.grad")


def edited(day: str, *edits: tuple[str, str]) -> str:
    """Return the day's reference with its text changed."""
    source = "\n\n".join(f"# %%\n{cell}" for cell in cells(day))
    for before, after in edits:
        assert before in source
        source = source.replace(before, after, 1)
    return source


CLOSURE = "        out._backward = _backward\n        return out\n\n    def __mul__"


def with_plus(line: str) -> str:
    """Return day 2's engine, in which `+` ends with another line."""
    source = "made = [Value(0.0) for _ in range(2)]" + "\n"
    engine = "\n".join(cells("day2")[:3])
    assert CLOSURE in engine
    return engine.replace(CLOSURE, CLOSURE.replace("out._backward = _backward", line, 1), 1) + "\n" + source


BUILT = """
    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __truediv__(self, other):
        return self * other**-1
"""


def built_from_others(*edits: tuple[str, str]) -> str:
    """Return day 4's engine, in which - and / are made of other operations."""
    source = "\n".join(cells("day4")[:3]).replace("    def exp(self)", BUILT + "\n    def exp(self)", 1)
    for before, after in edits:
        assert before in source
        source = source.replace(before, after, 1)
    return source
