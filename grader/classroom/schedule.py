"""The workflow of `grade answer`: it runs on a schedule in the instructor's private repository."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from grader.classroom.release.contents import what_to_install
from grader.classroom.release.requirement import CALLED, running_wheel, shipped_file
from grader.errors import Refused
from grader.files import absolute

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.gradebook.settings import Class

EVERY = 15  # minutes
_WORKFLOW = """\
# Lets the hidden checks answer pushes of DAY. `grade open DAY` wrote it; it belongs into the
# instructor's private repository, on the default branch, and needs the secret CLASS_TOKEN. The class is the one in
# solutions/course.yaml. By hand the workflow also grades the whole class, and posts. When no push counts any more,
# delete it: each run costs a minute of Actions.
name: DAY

on:
  schedule:
    - cron: "CRON" # in UTC; GitHub may be some minutes late
  workflow_dispatch:
    inputs:
      what:
        description: "answer: who has pushed since; grade: the whole class; post: and tell everybody; final: for good"
        type: choice
        options: [answer, grade, post, final]
        default: answer

permissions: {}

jobs:
  DAY:
    permissions:
      contents: write # for the branch that keeps the results
    uses: ./.github/workflows/grade-class.yml # zizmor: ignore[self-repository] every server knows this form
    with:
      day: DAY
INSTALL      answer: ${{ github.event_name == 'schedule' || inputs.what == 'answer' }}
      post: ${{ inputs.what == 'post' || inputs.what == 'final' }}
      final: ${{ inputs.what == 'final' }}
    secrets:
      token: ${{ secrets.CLASS_TOKEN }}
"""


def make_workflow(day: str, install: str = "") -> str:
    """Return the workflow of an assignment, whose minutes in the hour are its own.

    `install` are the arguments of `pip install`; without them the course is a copy of Backgrade's repository.
    """
    first = int.from_bytes(hashlib.sha256(day.encode()).digest()[:4]) % (EVERY - 1) + 1
    text = _WORKFLOW.replace("INSTALL", f"      install: {install}\n" if install else "")
    return text.replace("CRON", f"{first}-59/{EVERY} * * * *").replace("DAY", day)


def path_of(assignment: Assignment) -> Path:
    """Return the path of an assignment's workflow in the course."""
    return assignment.course.root / ".github" / "workflows" / f"{assignment.name}.yml"


def requirements_of(day: str) -> str:
    """Return the name of the file that says what pip installs, in a course that is no copy of Backgrade's repository."""
    return f".github/{day}-requirements.txt"


def workflow_files(assignment: Assignment) -> dict[Path, bytes]:
    """Return the workflow, and what it needs in a course that is no copy of Backgrade's repository.

    Such a course gets the workflow that is called, if it has none, the wheel of the running Backgrade, and what pip
    installs. Raises Refused, Broken.
    """
    course, day = assignment.course, assignment.name
    if (course.root / "grader" / "__init__.py").is_file():
        return {path_of(assignment): make_workflow(day).encode()}
    wanted = requirements_of(day)
    files = what_to_install(course, [day], running_wheel(), {wanted: ("classroom",)})
    called = course.root / CALLED  # may be the instructor's own
    files[CALLED] = (called if called.is_file() else shipped_file(CALLED)).read_bytes()
    workflow = {path_of(assignment): make_workflow(day, f"-r {wanted}").encode()}
    return workflow | {course.root / name: data for name, data in files.items()}


def is_written(assignment: Assignment, class_: Class) -> bool:
    """Return True if the workflow is there already with all its files. Raises Refused if it cannot be written."""
    root, path, files = assignment.course.root, path_of(assignment), workflow_files(assignment)
    if not absolute(class_.roster).is_relative_to(absolute(root)):
        raise Refused(
            f"{class_.roster}: the roster is not in {root}; a workflow reads only what is in the repository"
        )
    if not os.path.lexists(path):
        return False
    if not path.is_file() or path.read_bytes() != files[path]:
        raise Refused(f"{path}: a different file exists already; move it away first")
    return all(each.is_file() and each.read_bytes() == data for each, data in files.items())
