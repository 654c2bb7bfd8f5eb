"""The notebooks that students got: by their graded parts, work that nobody touched is known everywhere.

The graded part (graded.py) is the code, and the text where an instructor judges text, too. So a notebook that Jupyter
opened and saved is still untouched. `grade release` adds the part of each notebook that it writes to
solutions/DAY/handed_out.json, and the results file keeps what was known when a class was graded: a notebook of an
earlier release stays untouched when the course has another one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeVar

import msgspec

from grader.errors import Refused, reason_of
from grader.files import write_bytes
from grader.submissions.graded import graded_part, judges_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from grader.assignment import Assignment

T = TypeVar("T")
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
    forms = {_part(assignment, data) for data in forms_of(assignment)}
    return frozenset(forms.union(read_record(assignment, FILE, str)))


def forms_of(assignment: Assignment) -> list[bytes]:
    """Return the notebook of today as releases write it, with all other assignments or alone; empty without one."""
    if not assignment.pristine.is_file():
        return []
    data = assignment.pristine.read_bytes()
    return [data, without_dead_links(data, {*assignment.course.names} - {assignment.name})]


def record(assignment: Assignment, data: bytes) -> None:
    """Add a notebook that a release writes to the record of the assignment. Raises Refused."""
    add_to_record(assignment, FILE, _part(assignment, data), str)


def _part(assignment: Assignment, data: bytes) -> str:
    return graded_part(assignment.stub.name, data, text=judges_text(assignment))


# --- What `grade release` notes in solutions/DAY


def add_to_record(assignment: Assignment, file: str, entry: T, kind: type[T]) -> None:
    """Add an entry to a record, unless it is in it or the course has no solutions. Raises Refused."""
    known = read_record(assignment, file, kind)
    if entry not in known and assignment.solutions.is_dir():
        written = msgspec.json.format(msgspec.json.encode([*known, entry]), indent=1) + b"\n"
        write_bytes(assignment.solutions / file, written, assignment.course.root)


def read_record(assignment: Assignment, file: str, kind: type[T]) -> list[T]:
    """Return the entries of a record, the oldest first; none without a file. Raises Refused for a damaged one."""
    path = assignment.solutions / file
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[kind])  # type: ignore[valid-type]
    except FileNotFoundError:
        return []
    except (OSError, msgspec.DecodeError, UnicodeError) as error:
        why = reason_of(error) if isinstance(error, OSError) else str(error)
        raise Refused(
            f"{path}: the record of what was handed out cannot be read ({why}); restore it"
        ) from error
