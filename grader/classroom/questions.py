"""`grade questions`: the open questions of students about their grades.

A question is an issue with a label in the student's repository. GitHub's REST documentation, "List repository issues":
GET /repos/OWNER/NAME/issues takes `labels` and `state`, and lists pull requests, too. That is wanted here, because a
student may set the label on the pull request that has the grade. One request for each repository; the token needs
`issues: read` there.
"""

from __future__ import annotations

import datetime as dt  # noqa: TC003  msgspec reads the annotations
import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from grader.classroom.github.api import api_from
from grader.classroom.github.failures import RequestFailed
from grader.classroom.github.repository import PLACE
from grader.console import FULL, LESS, reporting, say
from grader.errors import Refused, first_of
from grader.gradebook.sentences import when
from grader.gradebook.store import Store
from grader.report import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.classroom.github.api import Api

SHOWN = 8  # names of students; the rest are counted
DISABLED = 410  # GitHub's status for the issues of a repository without issues
LONGEST_LABEL = 50  # characters; GitHub allows no more


class _Issue(msgspec.Struct):
    """An issue or a pull request in GitHub's list."""

    title: str
    html_url: str
    created_at: dt.datetime


class Question(NamedTuple):
    """An open question in the repository of these students; several may share one."""

    since: dt.datetime
    students: str
    title: str
    address: str


def run_questions(assignment: Assignment, results: Path, label: str, environment: Mapping[str, str]) -> int:
    """Print the open questions, the oldest first; return LESS if a repository cannot be read. Raises Refused."""
    if not re.fullmatch(rf"[^,]{{1,{LONGEST_LABEL}}}", label) or not label.strip():
        raise Refused(f"--label: write one label of at most {LONGEST_LABEL} characters, without a comma")
    students, elsewhere = _repositories(assignment, results)
    found, wrong = _ask_all(students, label, environment)
    for since, who, title, address in sorted(found):
        say(f"  {who}  {one_line(title)}  since {when(since)}  {address}")
    count = "1 open question" if len(found) == 1 else f"{len(found)} open questions"
    where = "1 repository" if len(students) == 1 else f"{len(students)} repositories"
    say(f"{assignment.name}  {count} with the label `{label}` in {where}")
    for why in wrong:
        say(f"note: {why}", err=True)
    if elsewhere:
        say(f"note: no repository on GitHub is known: {first_of(elsewhere, SHOWN)}", err=True)
    return LESS if wrong else FULL


def _repositories(assignment: Assignment, results: Path) -> tuple[dict[str, list[str]], list[str]]:
    """Return the students of each repository on GitHub, and the students without one. Raises Refused."""
    with Store(results) as store:
        places = store.repositories(assignment.name)
        if not places:
            raise store.no_results(assignment.name)
    students: dict[str, list[str]] = {}
    for student, place in places.items():
        students.setdefault(place if PLACE.fullmatch(place) else "", []).append(student)
    elsewhere = students.pop("", [])
    if not students:
        raise Refused(f"{results}: no repository on GitHub is known; `grade collect` finds the repositories")
    return students, elsewhere


def _ask_all(
    students: Mapping[str, list[str]], label: str, environment: Mapping[str, str]
) -> tuple[list[Question], list[str]]:
    """Return the questions, and a sentence for each repository that cannot be read. Raises GitHubUnavailable."""
    found: list[Question] = []
    wrong: list[str] = []
    done = 0
    with (
        api_from(environment, waiting=lambda line: say(line, err=True)) as api,
        reporting(lambda: f"{done} of {len(students)} repositories") as show,
    ):
        for place, names in students.items():
            who = first_of(names, SHOWN)
            try:
                found += _ask(api, place, who, label)
            except RequestFailed as error:
                rights = "; the token needs `issues: read` there" if error.forbidden or error.missing else ""
                why = "its issues are disabled (410)" if error.status == DISABLED else f"{error}{rights}"
                wrong.append(f"{who}: {place} is left out: {why}")
            done += 1
            show()
    return found, wrong


def _ask(api: Api, place: str, students: str, label: str) -> list[Question]:
    query = {"state": "open", "labels": label, "sort": "created", "direction": "asc"}
    issues = api.pages(f"/repos/{place}/issues", _Issue, query)
    return [Question(issue.created_at, students, issue.title, issue.html_url) for issue in issues]
