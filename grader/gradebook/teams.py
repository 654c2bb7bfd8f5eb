"""Teams: students whose lines of the roster name one repository.

Each student of a team has a result, an extension and overrides of their own. The repository is made, fetched and its
work graded once, and it gets one text, which each of them reads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from grader.errors import first_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

T = TypeVar("T")
SHOWN = 8  # teams that are named


def by_repository(repositories: Iterable[tuple[T, str]]) -> dict[str, list[T]]:
    """Return the students of each repository in their order, by its name in lower case, as GitHub compares names.

    `repositories` are pairs of a student and a repository; without a repository a student is left out.
    """
    found: dict[str, list[T]] = {}
    for student, repository in repositories:
        if repository:
            found.setdefault(repository.casefold(), []).append(student)
    return found


def teams_of(repositories: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the repositories with more than one student, as `by_repository` does."""
    return {place: students for place, students in by_repository(repositories).items() if len(students) > 1}


def team_note(teams: Mapping[str, Sequence[str]]) -> str:
    """Return a line about the teams for the instructor, who may have written a repository twice by mistake."""
    named = [f"{join_names(students)} ({repository})" for repository, students in teams.items()]
    return f"one repository is a team's: {first_of(named, SHOWN)}; each reads the grades of all there"


def join_names(students: Sequence[str]) -> str:
    """Return the students' names as part of a sentence."""
    *others, last = students
    return f"{', '.join(others)} and {last}" if others else last
