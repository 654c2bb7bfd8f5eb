"""Helpers that read the rules of an engine back, alone and in a whole grading."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from helpers import cells

from grader.assignment import Course
from grader.autograd.rules import probe
from grader.autograd.rules.operations import KNOWN, operations_of
from grader.autograd.rules.wrong import read_wrong
from grader.grading import grader as grading
from grader.grading.grader import with_grader
from grader.manifest import Limits
from grader.sandbox import Deadline, Launcher, Sandbox
from grader.submissions.submission import read_submission

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from grader.autograd.rules.wrong import Wrong
    from grader.report import Report

COURSE_TESTS = Path(__file__).resolve().parents[1] / "course"
COURSE = Course.find(COURSE_TESTS)
ALL = list(KNOWN)
OF_DAY = {"day1": ["+", "*", "neg", "-"], "day2": ["+", "*", "tanh"], "day3": ["+", "*", "tanh"]}
PATIENCE = 60.0  # seconds for one engine: no test depends on how fast the machine is


def read_engine(launcher: Launcher, source: str, operations: Sequence[str] = ALL) -> list[Wrong]:
    """What is wrong about the engine in a source."""
    box = Sandbox(launcher, [source], Limits(), ["numpy"], deadline=Deadline(PATIENCE))
    try:
        with box.explaining():
            return read_wrong(box, operations_of(operations))
    finally:
        box.close()


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give explanations all the time that they need."""
    monkeypatch.setattr(grading, "EXPLAIN_SECONDS", PATIENCE)
    monkeypatch.setattr(probe, "SECONDS", PATIENCE)


def submission(day: str, engine: str) -> str:
    """The day's reference in percent format with another engine."""
    sources = [engine if "class Value" in source else source for source in cells(day)]
    return "\n\n".join(f"# %%\n{source}" for source in sources)


def graded(launcher: Launcher, folder: Path, day: str, *sources: str) -> list[Report]:
    """Grade several submissions of a day in one session."""
    path = folder / "submission.py"

    def job(grader: grading.Grader) -> Iterator[Report]:
        for source in sources:
            path.write_text(source, encoding="utf-8")
            yield grader.grade(read_submission(path))

    return with_grader(COURSE.assignment(day), launcher, lambda grader: [*job(grader)])


MUL = ("self.grad += other.data * out.grad", "self.grad += self.data * out.grad")


def edited(day: str, *edits: tuple[str, str]) -> str:
    """The day's reference with its text changed."""
    source = "\n\n".join(f"# %%\n{cell}" for cell in cells(day))
    for before, after in edits:
        assert before in source
        source = source.replace(before, after, 1)
    return source
