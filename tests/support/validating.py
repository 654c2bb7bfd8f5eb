"""`grade validate` in this process: what it says of a course, without a kernel and without a process of its own."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from grader.assignment import Course
from grader.authoring.file_rules import cause_rules, file_rules
from grader.authoring.generated import write_generated
from grader.authoring.grading_rules import grading_rules
from grader.authoring.validation import begin_validation
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from grader.assignment import Assignment
    from grader.authoring.runner import Progress
    from grader.authoring.workers import ProcessPool

SOUND, PROBLEMS, USAGE, UNREADABLE = 0, 1, 2, 3  # exit codes

# Files of the miniature course.
STUB = "assignments/mini/mini.ipynb"
SOURCE = "solutions/mini/mini.py"
MANIFEST = "assignments/mini/assignment.yaml"
MISTAKES = "solutions/mini/mistakes/doubling.py"
SEEN_DOUBLE = "assignments/mini/checks/test_double.py"
SEEN_BOX = "assignments/mini/checks/test_box.py"
HIDDEN_DOUBLE = "solutions/mini/checks/test_double.py"
HIDDEN_BOX = "solutions/mini/checks/test_box.py"


@functools.cache
def launcher() -> Launcher:
    """One for all tests of the room; a fixture in its conftest.py ends it."""
    return Launcher().__enter__()


def without_kernel(
    assignment: Assignment,
    launcher: Launcher,
    workers: ProcessPool | None = None,
    progress: Progress | None = None,
) -> tuple[list[str], bool]:
    """Return the problems found without a kernel, and True if the reference can be graded."""
    with begin_validation(assignment, launcher, workers, progress) as (found, runner):
        rules = grading_rules(runner, sound=not found) if runner else ()
        return [*found, *rules], runner is not None


def problems(course: Path, name: str = "mini") -> list[str]:
    """Return the problems that `grade validate` finds without a kernel."""
    return without_kernel(Course(course).assignment(name), launcher())[0]


def file_problems(course: Path, name: str = "mini") -> list[str]:
    """Return the problems that `grade validate` finds in files alone, before it grades anything."""
    assignment = Course(course).assignment(name)
    return [*cause_rules(assignment), *file_rules(assignment)]


def regenerate(course: Path, name: str = "mini") -> None:
    """`grade stub`."""
    write_generated(Course(course).assignment(name))


def about(path: Path, found: list[str]) -> list[str]:
    """The problems that name this file first, without its name."""
    return [text.removeprefix(f"{path}: ") for text in found if text.startswith(f"{path}: ")]


def hashes(course: Path) -> dict[str, str]:
    """Every file with its hash; Python's own caches are not the course's."""
    return {
        path.relative_to(course).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(course.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def expect(found: list[str], *expected: tuple[object, ...]) -> None:
    """Hold that there is one problem for each tuple, in this order, with all of its parts in it."""
    assert len(found) == len(expected), found
    for text, parts in zip(found, expected, strict=True):
        assert [part for part in parts if str(part) not in text] == [], text
