"""The workflow of `grade answer`: it runs on a schedule in the instructor's private repository."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

from grader.errors import Refused
from grader.files import absolute, write_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.gradebook.settings import Class

EVERY = 15  # minutes
CALLED = ".github/workflows/grade-class.yml"
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
      answer: ${{ github.event_name == 'schedule' || inputs.what == 'answer' }}
      post: ${{ inputs.what == 'post' || inputs.what == 'final' }}
      final: ${{ inputs.what == 'final' }}
    secrets:
      token: ${{ secrets.CLASS_TOKEN }}
"""


def scheduled(day: str) -> str:
    """Return the workflow of an assignment, whose minutes in the hour are its own."""
    first = int.from_bytes(hashlib.sha256(day.encode()).digest()[:4]) % (EVERY - 1) + 1
    return _WORKFLOW.replace("CRON", f"{first}-59/{EVERY} * * * *").replace("DAY", day)


def path_of(assignment: Assignment) -> Path:
    """Return the path of an assignment's workflow in the course."""
    return assignment.course.root / ".github" / "workflows" / f"{assignment.name}.yml"


def is_written(assignment: Assignment, class_: Class) -> bool:
    """Return True if the workflow is there already. Raises Refused if it cannot be written."""
    root, path = assignment.course.root, path_of(assignment)
    if not (root / CALLED).is_file():
        raise Refused(f"{root / CALLED}: the workflow calls this file; copy it from Backgrade's repository")
    if not absolute(class_.roster).is_relative_to(absolute(root)):
        raise Refused(
            f"{class_.roster}: the roster is not in {root}; a workflow reads only what is in the repository"
        )
    if not os.path.lexists(path):
        return False
    if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == scheduled(assignment.name):
        return True
    raise Refused(f"{path}: a different file exists already; move it away first")


def write_workflow(assignment: Assignment) -> None:
    """Write the workflow into the course's folder. Raises Refused."""
    text = scheduled(assignment.name)
    write_bytes(path_of(assignment), text.encode(), assignment.course.root, make_folder=True)
