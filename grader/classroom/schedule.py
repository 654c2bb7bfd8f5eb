"""The workflow of `grade answer`: it runs on a schedule in the instructor's private repository."""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING

from grader.console import say
from grader.errors import Refused
from grader.files import absolute, write_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from grader.assignment import Assignment

EVERY = 15  # minutes
CALLED = ".github/workflows/grade-class.yml"
_WORKFLOW = """\
# Lets the hidden checks answer pushes of DAY. `grade answer DAY --workflow` wrote it; it belongs into the
# instructor's private repository, on the default branch, and needs the secret CLASS_TOKEN. By hand it also grades
# the whole class, and posts. When no push counts any more, delete it: each run costs a minute of Actions.
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
      organization: ORG
      roster: ROSTER
      repositories: "PATTERN"
      answer: ${{ github.event_name == 'schedule' || inputs.what == 'answer' }}
      post: ${{ inputs.what == 'post' || inputs.what == 'final' }}
      final: ${{ inputs.what == 'final' }}
    secrets:
      token: ${{ secrets.CLASS_TOKEN }}
"""


def scheduled(day: str, roster: str, org: str, pattern: str) -> str:
    """Return the workflow of an assignment. Raises Refused for a name that it cannot contain."""
    for what, value, allowed in (
        ("--org", org, r"[A-Za-z0-9][A-Za-z0-9-]*"),
        ("ROSTER", roster, r"\w[\w./-]*"),
        ("--name", pattern, r"[\w.{}-]+"),
    ):
        if not re.fullmatch(allowed, value, re.ASCII):
            raise Refused(
                f"{what} {value}: a workflow cannot contain this name; use letters, digits, - and . only"
            )
    first = int.from_bytes(hashlib.sha256(f"{org}/{day}".encode()).digest()[:4]) % (EVERY - 1) + 1
    values = {
        "CRON": f"{first}-59/{EVERY} * * * *",
        "ORG": org,
        "ROSTER": roster,
        "PATTERN": pattern,
        "DAY": day,
    }
    return re.sub(r"\b(CRON|ORG|ROSTER|PATTERN|DAY)\b", lambda found: values[found[1]], _WORKFLOW)


def write_workflow(assignment: Assignment, roster: Path, org: str, pattern: str) -> None:
    """Write the workflow into the course's folder, and print the next step. Raises Refused."""
    root = assignment.course.root
    path = root / ".github" / "workflows" / f"{assignment.name}.yml"
    if not (root / CALLED).is_file():
        raise Refused(f"{root / CALLED}: the workflow calls this file; copy it from Backgrade's repository")
    place = absolute(roster)
    if not place.is_relative_to(absolute(root)):
        raise Refused(
            f"{roster}: the roster is not in {root}; a workflow reads only what is in the repository"
        )
    text = scheduled(assignment.name, place.relative_to(absolute(root)).as_posix(), org, pattern)
    if os.path.lexists(path):
        if path.is_file() and path.read_text(encoding="utf-8", errors="replace") == text:
            say(f"unchanged  {path}")
            return
        raise Refused(f"{path}: a different file exists already; move it away first")
    write_bytes(path, text.encode(), root, make_folder=True)
    say(f"written  {path}")
    say(
        f"Next: give the repository the secret CLASS_TOKEN, commit this file and {roster}, and push. "
        f"It runs every {EVERY} minutes from then on."
    )
