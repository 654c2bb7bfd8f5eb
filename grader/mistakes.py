"""The known mistakes as a page in Markdown, for those who teach: what is known, told and caught."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from grader.course import read_mistakes
from grader.errors import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.assignment import Assignment
    from grader.course import Mistake

_CODE = re.compile(r"(`[^`]+`)")
_SIGNS = re.compile(r"([\\`*_\[\]<>#~&$])")  # what Markdown would take for its own
_INTRODUCTION = """\
# Known mistakes

For those who teach; students get none of this page. It is made from the files below
`solutions/*/mistakes/` by `grade mistakes --output docs/mistakes.md` and not written by hand.

The words are what a student reads whose failing checks read exactly what the mistake gives, and the
checks are those that it fails. A mistake that reads as another one in every check stands below that
one, and the student is told the words of that one.
"""


class NoSolutions(Refused):
    """The mistakes lie in solutions/, and a student's copy of the course has none."""


def mistakes_page(assignments: Sequence[Assignment]) -> str:
    """The page with a table for each assignment. Raises NoSolutions, CourseError, AssignmentError."""
    if not any(assignment.solutions.is_dir() for assignment in assignments):
        raise NoSolutions("the known mistakes are kept with the solutions, and solutions/ is not here")
    return "\n".join([_INTRODUCTION, *map(_section, assignments)])


def _section(assignment: Assignment) -> str:
    mistakes = read_mistakes(assignment)
    counted = f"{len(mistakes)} mistakes.\n\n{table(mistakes)}" if mistakes else "No mistake is known yet.\n"
    return f"## {assignment.name}: {in_table(assignment.manifest.title)}\n\n{counted}"


def table(mistakes: Sequence[Mistake]) -> str:
    """One row a mistake, by name; those that read as another one come right after it."""
    names = {mistake.id for mistake in mistakes}
    ordered = sorted(
        mistakes, key=lambda m: (m.same_as if m.same_as in names else m.id, bool(m.same_as), m.id)
    )
    rows = ["| Mistake | Words | Checks that catch it |", "|---|---|---|", *map(_row, ordered)]
    return "\n".join(rows) + "\n"


def _row(mistake: Mistake) -> str:
    name = f"`{mistake.id}`" + (f", reads as `{mistake.same_as}`" if mistake.same_as else "")
    checks = ", ".join(f"`{check}`" for check in mistake.fails)
    return f"| {name} | {in_table(mistake.words)} | {checks} |"


def in_table(text: str) -> str:
    """Text for the cell of a table: code between backticks stays code, everything else is plain."""
    parts = _CODE.split(text)
    plain = [part if place % 2 else _SIGNS.sub(r"\\\1", part) for place, part in enumerate(parts)]
    return "".join(plain).replace("|", r"\|")
