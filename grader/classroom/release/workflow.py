"""The workflow of a student's repository: the text of `.github/workflows/grade.yml`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

# An action is pinned by the commit of the version beside it, because a tag can be moved.
CHECKOUT = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1"
SETUP_PYTHON = "actions/setup-python@5fda3b95a4ea91299a34e894583c3862153e4b97 # v7.0.0"
UPLOAD_ARTIFACT = "actions/upload-artifact@043fb46d1a93c77aae656e7c1c64a875d1fc6a0a # v7.0.1"
REPORTER = "classroom-resources/autograding-grading-reporter@d13b5912daf5042ac1b71bc38bdb4a6bcd61d8ca # v1"
# Name and job. Tools around the classroom reporter look for the second pair only.
_NAMES = {False: ("Grade", "grade"), True: ("Autograding Tests", "run-autograding-tests")}

_HEAD = f"""\
# Runs the visible checks at every push and shows their results on the page of the run, beside the lines
# and in a comment. They are advice; your instructor makes the grade of record.
name: WORKFLOW

on:
  push:
    branches: ["**"]
  pull_request:
  workflow_dispatch:

permissions: {{}}

concurrency:
  group: ${{{{ github.workflow }}}}-${{{{ github.ref }}}}
  cancel-in-progress: true

jobs:
  JOB:
    name: JOB
    # A branch of this repository is graded when it is pushed; a pull request only where it comes from a fork.
    if: >-
      github.event_name != 'pull_request'
      || github.event.pull_request.head.repo.full_name != github.repository
    runs-on: ubuntu-24.04
    timeout-minutes: 15
    permissions:
      contents: read
      pull-requests: write # for the comment
    steps:
      - uses: {CHECKOUT}
        with:
          persist-credentials: false
      - uses: {SETUP_PYTHON}
        with:
          python-version: "3.12"
          cache: pip
          cache-dependency-path: |
            constraints.txt
            requirements.txt
            .github/requirements.txt
      - name: Install
        id: INSTALL
        run: python -m pip install -q -r .github/requirements.txt
"""
_DAY = """\
      - name: Grade DAY
        id: DAY
        if: ${{ !cancelled() && steps.INSTALL.outcome == 'success' }}
        run: grade ci DAY --comment
        env:
          GITHUB_TOKEN: ${{ github.token }}
"""
_UPLOAD = f"""\
      - name: Keep the feedback
        if: ${{{{ always() }}}}
        uses: {UPLOAD_ARTIFACT}
        with:
          name: feedback
          path: feedback/
          if-no-files-found: ignore
          overwrite: true
"""
_REPORTER = f"""\
      - name: Report
        if: ${{{{ !cancelled() && steps.INSTALL.outcome == 'success' }}}}
        uses: {REPORTER}
        env:
RESULTS
        with:
          runners: DAYS
"""


def workflow(days: Sequence[str], *, reporter: bool = False) -> str:
    """Return the workflow that grades these assignments, one step each.

    With `reporter` its last step is the classroom reporter's. Raises Refused for a name that no step can have.
    """
    for day in days:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", day):
            raise Refused(
                f"{day}: a step of a workflow cannot have this name; rename the assignment's folder to letters, "
                "digits, - and _, with a letter at its beginning"
            )
    name, job = _NAMES[reporter]
    install = _free_id("install", days)
    parts = [_HEAD.replace("WORKFLOW", name).replace("JOB", job).replace("INSTALL", install)]
    parts += [_DAY.replace("INSTALL", install).replace("DAY", day) for day in days]
    parts.append(_UPLOAD)
    if reporter:
        results = "\n".join(
            f"          {day.upper()}_RESULTS: ${{{{ steps.{day}.outputs.result }}}}" for day in days
        )
        report = _REPORTER.replace("INSTALL", install)
        parts.append(report.replace("DAYS", ",".join(days)).replace("RESULTS", results))
    return "".join(parts)


def _free_id(name: str, days: Sequence[str]) -> str:
    """Return an id for a step that no assignment's step has; GitHub ignores the case of ids."""
    taken = {day.lower() for day in days}
    return next(free for free in (name + "_" * count for count in range(len(days) + 1)) if free not in taken)
