"""The optional file `solutions/course.yaml`: the class, and the weights of its total.

    class:
      organisation: course-2026         # on GitHub
      roster: roster.csv                # from the course's folder
      repositories: "{day}-{github}"    # the names of the students' repositories; {student} is possible, too
      instructors: [grace-h]            # logins whose pushes hand in nothing
    weights: {day1: 1, day2: 2}         # see totals.py, also for drop_lowest
    drop_lowest: 1
    record: branch                      # share results.db on the branch `results`; default: a local file

Each command for a class reads the block `class`. An option of the command overrides it.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from grader.errors import Refused
from grader.manifest import read_settings
from grader.report import exact

if TYPE_CHECKING:
    from fractions import Fraction

    from grader.assignment import Assignment, Course

FILE = "solutions/course.yaml"
PATTERN = "{day}-{github}"  # the names of students' repositories
ROSTER = "roster.csv"
_ORGANISATION = r"[A-Za-z0-9][A-Za-z0-9-]*"


class _ClassSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`class` in course.yaml; `roster` is a path from the course's folder."""

    organisation: str = ""
    roster: str = ROSTER
    repositories: str = PATTERN
    instructors: tuple[str, ...] = ()


class CourseSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"class_": "class"}):
    """The contents of course.yaml; `class_` is None without a block `class`."""

    class_: _ClassSpec | None = None
    weights: dict[str, float] = {}
    drop_lowest: int = 0
    record: Literal["file", "branch"] = "file"

    def weight(self, day: str) -> Fraction:
        """Return the weight of a day in the total."""
        return exact(self.weights.get(day, 1.0))


def read_course_settings(course: Course) -> CourseSettings:
    """Read course.yaml; without the file, return the defaults. Raises Refused."""
    path = course.root / FILE
    if not path.exists():
        return CourseSettings()
    keys = [field.name for field in msgspec.structs.fields(_ClassSpec)]
    return read_settings(path, CourseSettings, {"weights": course.names, "class": keys})


@dataclass(frozen=True)
class Class:
    """The class of course.yaml; `roster` is a path from the current folder, `organisation` may be empty."""

    roster: Path
    organisation: str = ""
    repositories: str = PATTERN
    instructors: tuple[str, ...] = ()

    @property
    def needed_organisation(self) -> str:
        """The organisation. Raises Refused if it is empty."""
        if not self.organisation:
            raise Refused(f"no GitHub organisation is set; write `class: {{organisation: NAME}}` into {FILE}")
        return self.organisation


def class_of(course: Course) -> Class:
    """Return the class of a course. Raises Refused."""
    path, spec = course.root / FILE, read_course_settings(course).class_
    if spec is None:
        raise Refused(f"{path}: it has no `class`; add `class: {{organisation: NAME, roster: {ROSTER}}}`")
    if not spec.roster:
        raise Refused(f"{path}: `class.roster` is empty; write the roster's path from the course's folder")
    if spec.organisation and not re.fullmatch(_ORGANISATION, spec.organisation):
        raise Refused(
            f"{path}: {spec.organisation} is not the name of a GitHub organisation; copy the name from the organisation's address"
        )
    roster = from_here(course.root / spec.roster)
    return Class(roster, spec.organisation, spec.repositories, spec.instructors)


def works_of(course: Course, day: str) -> Path:
    """Return the folder of a day's collected works. It is outside the course's folder, so git never commits it."""
    return from_here(course.root.parent / f"{day}-works")


def read_collected_folder(assignment: Assignment) -> Path:
    """Return the folder of a day's collected works. Raises Refused if it is missing."""
    folder = works_of(assignment.course, assignment.name)
    if not folder.is_dir():
        raise Refused(
            f"{folder}: no such folder; run `grade collect {assignment.name}` first, or name the folder or zip"
        )
    return folder


def from_here(path: Path) -> Path:
    """Return the path relative to the current folder."""
    return Path(os.path.relpath(path))
