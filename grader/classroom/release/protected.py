"""The protected files that students got with each release: checks, manifest and workflows, by their hashes in git.

`grade release` adds them to solutions/DAY/released.json. `grade collect` compares a student's files with the release
that is nearest to them, so a check that is mended in the course makes nobody an editor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.classroom.release.contents import is_leftover
from grader.submissions.collected import blob_id
from grader.submissions.handed_out import add_to_record, read_record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.assignment import Assignment

FILE = "released.json"  # in solutions/DAY
WORKFLOWS = ".github/workflows"
_KINDS = ("0" * 40, "0" * 64)  # git has hashes of two lengths


def assignment_place(assignment: Assignment, name: str) -> str:
    """Return the path of a file of an assignment's folder, from the top of a repository."""
    return f"assignments/{assignment.name}/{name}"


def is_protected(place: str, assignment: Assignment) -> bool:
    """Return True for a file of the assignment that students should leave as it is; notebooks are no such files."""
    if place.endswith(".ipynb") or any(is_leftover(name) for name in place.split("/")):
        return False
    checks = f"{assignment_place(assignment, 'checks')}/"
    manifest = assignment_place(assignment, "assignment.yaml")
    return place == manifest or place.startswith((checks, f"{WORKFLOWS}/"))


def hashes_of(data: bytes) -> list[str]:
    """Return the hashes of a file: unchanged, and with the line ends that git stores for it on Windows."""
    forms = dict.fromkeys((data, data.replace(b"\r\n", b"\n")))
    return [blob_id(form, like) for form in forms for like in _KINDS]


def record_protected(assignment: Assignment, files: Mapping[str, bytes]) -> None:
    """Add the protected files among the files of a release to the record of the assignment. Raises Refused."""
    release = {
        place: hashes_of(data) for place, data in sorted(files.items()) if is_protected(place, assignment)
    }
    add_to_record(assignment, FILE, release, dict[str, list[str]])


def read_released(assignment: Assignment) -> list[dict[str, list[str]]]:
    """Return the protected files of each release, the oldest first: hashes by path. Raises Refused."""
    return read_record(assignment, FILE, dict[str, list[str]])
