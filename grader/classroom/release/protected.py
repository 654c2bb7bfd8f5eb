"""The files that students should not change: the checks, the manifest and the workflows of a repository.

`grade release` adds their git hashes to solutions/DAY/released.json. `grade collect` compares a student's files with the
release that fits them best, or with the current course if there is none. So a later fix of a check in the course does not
count as a student's change. A change does not affect the grade. Notebooks are not protected: the student works in one of
them, and the others grade nothing.
"""

from __future__ import annotations

import itertools
from collections import deque
from typing import TYPE_CHECKING

from grader.classroom.git.process import GitError
from grader.classroom.release.contents import WORKFLOWS, day_files, is_leftover
from grader.errors import Broken, Refused
from grader.submissions.collected import Drift, blob_id
from grader.submissions.handed_out import add_to_record, read_record

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from grader.assignment import Assignment
    from grader.classroom.git.remote import Objects

RELEASED = "released.json"  # in solutions/DAY
_KINDS = ("0" * 40, "0" * 64)  # git has hashes of two lengths
OURS = f"{WORKFLOWS}/grade.yml"  # written by a release without --no-workflow
DEEPEST = 4  # folders below checks/
MOST_FILES = 500  # protected files and folders of a student that are listed
MOST_KEPT = 100  # differences of one student


def _assignment_place(assignment: Assignment, name: str) -> str:
    """Return the path of a file of an assignment's folder, from the top of a repository."""
    return f"assignments/{assignment.name}/{name}"


def _is_protected(place: str, assignment: Assignment) -> bool:
    """Return True for a file of the assignment that students should not change; never for a notebook."""
    if place.endswith(".ipynb") or any(is_leftover(name) for name in place.split("/")):
        return False
    checks = f"{_assignment_place(assignment, 'checks')}/"
    manifest = _assignment_place(assignment, "assignment.yaml")
    return place == manifest or place.startswith((checks, f"{WORKFLOWS}/"))


def _hashes_of(data: bytes) -> list[str]:
    """Return the git hashes of a file, with its own line ends and with those that git stores on Windows."""
    forms = dict.fromkeys((data, data.replace(b"\r\n", b"\n")))
    return [blob_id(form, like) for form in forms for like in _KINDS]


def record_protected(assignment: Assignment, files: Mapping[str, bytes]) -> None:
    """Add the protected files of a release to the assignment's released.json. Raises Refused."""
    release = {
        place: _hashes_of(data) for place, data in sorted(files.items()) if _is_protected(place, assignment)
    }
    add_to_record(assignment, RELEASED, release, dict[str, list[str]])


class HandedOut:
    """The protected files of each release, or else of the course; `trouble` is the reason for not comparing."""

    def __init__(self, assignment: Assignment) -> None:
        """Raise Refused if released.json is damaged."""
        self.trouble, self._now = "", dict[str, list[str]]()
        try:
            files = day_files(assignment, [assignment.name], [])
        except (Broken, Refused, OSError) as error:
            self.trouble = str(error)
            return
        self._now = {
            place: _hashes_of(data) for place, data in files.items() if _is_protected(place, assignment)
        }
        self._given = read_record(assignment, RELEASED, dict[str, list[str]]) or [self._now]

    def drift(self, found: Mapping[str, str]) -> tuple[Drift, ...]:
        """Return the changes in a student's protected files, given by their hashes.

        The version with the fewest differences counts as the one that the student got.
        """
        if self.trouble:
            return ()
        nearest = min((list(self._differences(files, found)) for files in self._given), key=len)
        return tuple(sorted(nearest, key=lambda d: (d.path, d.kind)))[:MOST_KEPT]

    def _differences(self, files: Mapping[str, list[str]], found: Mapping[str, str]) -> Iterator[Drift]:
        for place, hashes in files.items():
            if place not in found:
                if place in self._now or place != OURS:
                    yield Drift(place, "missing")
            elif found[place] not in hashes:
                yield Drift(place, "edited")
        yield from (Drift(place, "added") for place in found.keys() - files.keys() if place != OURS)


# --- A student's files


def protected_files(assignment: Assignment, objects: Objects, tree: str) -> dict[str, str]:
    """Return the hashes of a student's protected files by path, at most MOST_FILES. Raises GitError.

    A folder with too many or too long names counts as empty.
    """
    checks, manifest = (_assignment_place(assignment, name) for name in ("checks", "assignment.yaml"))
    found, waiting = dict[str, str](), deque([(manifest, 0), (checks, DEEPEST + 1), (WORKFLOWS, 1)])
    for _ in range(MOST_FILES):
        if not waiting:
            break
        place, depth = waiting.popleft()
        try:
            entry = objects.entry(tree, place)
            inner = objects.folder(entry.id) if entry and entry.kind == "folder" and depth else ()
        except GitError as error:
            if error.cause not in {"too large", "long name"}:
                raise
            continue
        names = (name.decode(errors="surrogateescape") for name in itertools.islice(inner, MOST_FILES))
        waiting.extend((f"{place}/{name}", depth - 1) for name in names)
        if entry and entry.kind != "folder" and _is_protected(place, assignment):
            found[place.encode(errors="surrogateescape").decode(errors="backslashreplace")] = entry.id
    return dict(sorted(found.items()))
