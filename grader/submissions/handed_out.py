"""The notebooks that students got: by their graded parts, work that nobody touched is known everywhere.

The graded part (graded.py) is the code, and the text where an instructor judges text, too. So a notebook that Jupyter
opened and saved is still untouched. `grade release` adds the part of each notebook that it writes to
solutions/DAY/handed_out.json, and the results file keeps what was known when a class was graded: a notebook of an
earlier release stays untouched when the course has another one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from grader.errors import Refused, reason_of
from grader.files import write_bytes
from grader.submissions.graded import graded_part, judges_text

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from grader.assignment import Assignment

FILE = "handed_out.json"  # in solutions/DAY
_LINK = re.compile(rb"\[([^\[\]\n\"]*)\]\(\.\./([^/()\s\"]+)/[^()\s\"]*\)")


def is_untouched(name: str, data: bytes, parts: Collection[str], *, text: bool) -> bool:
    """Return True if the graded part of a file is one of the `parts` that were handed out."""
    return graded_part(name, data, text=text) in parts


def without_dead_links(data: bytes, absent: Collection[str]) -> bytes:
    """Make links to the assignments in `absent` plain text, in the bytes of a lesson or a notebook."""
    return _LINK.sub(lambda m: m[1] if m[2].decode(errors="replace") in absent else m[0], data)


def handed_out(assignment: Assignment) -> frozenset[str]:
    """Return the graded part of each notebook of an assignment that was handed out, as far as the course knows.

    These are the notebook of today, released alone or with all others, and those that earlier releases wrote. Raises
    Refused for a damaged record.
    """
    pristine, course = assignment.pristine, assignment.course
    forms = set[str]()
    if pristine.is_file():
        data, others = pristine.read_bytes(), {*course.names} - {assignment.name}
        forms = {_part(assignment, data), _part(assignment, without_dead_links(data, others))}
    return frozenset(forms | _recorded(assignment))


def record(assignment: Assignment, data: bytes) -> None:
    """Add a notebook that a release writes to the record of the assignment. Raises Refused."""
    part, known = _part(assignment, data), _recorded(assignment)
    if part not in known and assignment.solutions.is_dir():
        written = msgspec.json.format(msgspec.json.encode(sorted({*known, part})), indent=1) + b"\n"
        write_bytes(_path(assignment), written, assignment.course.root)


def _part(assignment: Assignment, data: bytes) -> str:
    return graded_part(assignment.stub.name, data, text=judges_text(assignment))


def _path(assignment: Assignment) -> Path:
    return assignment.solutions / FILE


def _recorded(assignment: Assignment) -> set[str]:
    path = _path(assignment)
    try:
        known: Sequence[str] = msgspec.json.decode(path.read_bytes(), type=list[str])
    except FileNotFoundError:
        return set()
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        raise Refused(
            f"{path}: the record of what was handed out cannot be read ({why}); restore it"
        ) from error
    return set(known)
