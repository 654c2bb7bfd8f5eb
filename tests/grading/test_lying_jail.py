"""Any answer of a jail to any request, arrays among them: the submission is graded, and never the grader's fault (promise 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers import grade, hand_in, write_files

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.sandbox import Launcher
from grader.submissions.intake import accept

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from grader.assignment import Assignment

MANIFEST = """\
format: 1
title: Means
submission: means.ipynb
arrays: true
topic: autograd
limits: {load_seconds: 2, check_seconds: 1, total_seconds: 5, memory_mb: 512}
checks:
  mean: {points: 50, hints: ["Which axis are the rows?"]}
  secret: {points: 50, hints: ["Which axis are the rows?"]}
"""
CHECK = '''\
"""The mean of all rows."""

def test_mean(student):
    """Of two rows."""
    assert student.mean(student.array([[1.0, 2.0], [3.0, 4.0]])) == [2.0, 3.0]


def test_box(student):
    """An object and its parts."""
    box = student.Box(3.0)
    assert [box.size, *box, len(str(box))] == [3.0, 1, 2, 4]
'''
REFERENCE = """\
# %%
class Box:
    def __init__(self, size): self.size = size
    def __iter__(self): return iter([1, 2])
    def __str__(self): return "box!"


# %%
def mean(rows):
    ### BEGIN SOLUTION: write mean
    return rows.mean(axis=0)
    ### END SOLUTION

"""
# Each request gets the same answer from the first cell on; or only once all cells have run.
LIAR = (
    REFERENCE
    + """
# %%
import sys
f = sys._getframe()
while f:
    s = f.f_locals.get("self")
    if type(s).__name__ == "Jail": JAIL = s
    f = f.f_back
WRONG = {"e": {"type": "E", "bases": [], "text": "", "name": "", "frames": []}}
class Lie(Exception): pass
def lying(op, answer):
    def lie(self, request):
        if answer == "raise": raise Lie
        return answer
    setattr(type(JAIL), "do_" + op, lie)

# %%
lying(OP, ANSWER)
1 / 0
"""
)
NOT_ASCII = {"a": ["float64", [1], "\u00e9AAAAAAAA+H8="]}
ANSWERS = (NOT_ASCII, {"l": [NOT_ASCII]}, "raise", 5, None, [1], {"h": 1})
ASKED = (
    "open begin run reload names output hashed source get attr set call apply items isinstance peek defined"
)


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Assignment:
    root = tmp_path_factory.mktemp("course")
    write_files(
        root,
        {
            "assignments/means/assignment.yaml": MANIFEST,
            "assignments/means/checks/test_mean.py": CHECK,
            "solutions/means/checks/test_secret.py": CHECK.replace("1.0, 2.0", "5.0, 0.0")
            .replace("2.0,", "4.0,")
            .replace("3.0]\n\n", "2.0]\n\n"),
            "solutions/means/means.py": REFERENCE,
        },
    )
    assert grade("stub", "means", cwd=root).code == 0
    return Course(root).assignment("means")


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    with Launcher() as launcher:
        yield launcher


@pytest.mark.parametrize("op", ASKED.split())
def test_any_answer_to_any_request(day: Assignment, launcher: Launcher, tmp_path: Path, op: str) -> None:
    """No check is ungradable, and no error of ours comes out."""
    with open_grader(day, launcher) as grader:
        for answer in ANSWERS:
            source = LIAR.replace("OP", repr(op)).replace("ANSWER", repr(answer))
            report = grader.grade(accept(day, hand_in(tmp_path, source, "mine.py"), launcher), traces=True)
            assert report.score is not None, (op, answer, [check.message for check in report.checks])


def test_a_class_gets_a_grade_for_it(day: Assignment, tmp_path: Path) -> None:
    """`grade batch` ends with 0 points, and not with a submission that could not be graded."""
    source = LIAR.replace("OP", '"names"').replace("ANSWER", repr(NOT_ASCII))
    (tmp_path / "ada").mkdir()
    hand_in(tmp_path / "ada", source, "means.py")

    done = grade("batch", "means", tmp_path, "--results", tmp_path / "results.db", cwd=day.course.root)

    assert "could not be graded" not in done.out + done.err
    assert done.code == 0
