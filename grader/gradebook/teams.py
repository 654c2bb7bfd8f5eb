"""Teams: students whose lines of the roster name one repository.

Each student of a team has a result, an extension and overrides of their own. The repository is made, fetched and its
work graded once, and it gets one text, which each of them reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.errors import first_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SHOWN = 8  # teams that are named


def teams_of(repositories: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the students of each repository of several, in their order; by its name in lower case, as GitHub compares.

    `repositories` are pairs of a student and a repository, which may be empty.
    """
    found: dict[str, list[str]] = {}
    for student, repository in repositories:
        if repository:
            found.setdefault(repository.casefold(), []).append(student)
    return {repository: students for repository, students in found.items() if len(students) > 1}


def team_note(teams: Mapping[str, Sequence[str]]) -> str:
    """Return a line about the teams for the instructor, who may have written a repository twice by mistake."""
    named = [f"{names(students)} ({repository})" for repository, students in teams.items()]
    return f"one repository is a team's: {first_of(named, SHOWN)}; each reads the grades of all there"


def names(students: Sequence[str]) -> str:
    """Return the students' names as part of a sentence."""
    *others, last = students
    return f"{', '.join(others)} and {last}" if others else last
