"""A course with manual checks and a class that handed in notebooks, for the tests of `grade mark`."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helpers import GRADE
from minicourse import change
from msgspec.structs import replace
from students import by, course, told

from grader.assignment import Assignment
from grader.gradebook.store import Store
from grader.report import SubmissionInfo
from grader.submissions.work import HandedIn

CHECKS = """\
  essay: {points: 4, manual: true, title: Why does a box grow?, rubric: {names double: 3, gives an example: 1, too long: -1}}
  plot: {points: 5, manual: true, title: A plot of a box}
  box:"""
MANIFEST = "assignments/mini/assignment.yaml"
GRADED = HandedIn("mini.ipynb", "2025-10-31T10:00:00+00:00", True)


def cell(source: str, tag: str = "", kind: str = "markdown", **more: Any) -> dict[str, Any]:
    """A cell; one of code has outputs, in `more`."""
    extra = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {"tags": [tag] if tag else []}, "source": source, **extra, **more}


def notebook(*cells: dict[str, Any]) -> bytes:
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def essay(text: str) -> bytes:
    """A notebook whose answer is this text."""
    return notebook(cell("# Doubling"), cell("x = 1", kind="code"), cell(text, "essay"))


def marking_course(root: Path) -> Assignment:
    """The miniature course with an essay, which has a rubric, and a plot, which has none."""
    assignment = course(root)
    change(root, MANIFEST, "  box:", CHECKS)
    return assignment.course.assignment("mini")


def hand_in(assignment: Assignment, works: dict[str, bytes], checks: tuple[str, ...] = ("essay",)) -> Path:
    """Put these notebooks into a folder and into results.db, graded; return the folder."""
    root = assignment.course.root
    folder = root.parent / "mini-works"
    with Store(root / "results.db", create=True) as store:
        for student, data in works.items():
            place = folder / student / "mini.ipynb"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
            info = SubmissionInfo("mini.ipynb", hashlib.sha256(data).hexdigest(), "")
            report = replace(told({"double": 10, "box": 10}, manual=list(checks)), submission=info)
            store.keep(hashlib.sha256(data).hexdigest(), by(student, GRADED), report)
    return folder


@contextmanager
def marking(course: Path, day: str, *options: str) -> Iterator[str]:
    """The address that `grade mark DAY` prints, while it runs; at the end it says how many are marked."""
    env = os.environ | {"PYTHONUNBUFFERED": "1"}
    words = [GRADE, "mark", day, "--no-browser", *options]
    with subprocess.Popen(words, cwd=course, env=env, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            yield running.stdout.readline().split()[0]
        finally:
            running.send_signal(signal.SIGINT)
            said = running.stdout.read()
    assert running.returncode == 0
    assert "marked" in said, said
