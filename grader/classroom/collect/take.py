"""What is taken of a student's commit: the submission, and the changes of protected files.

The submission is found by the rule of grader.submissions.choice. Names that a student has chosen are never used as paths:
files are written under the course's own names.

Protected are the checks, the manifest and the workflows of a student's repository. Their git hashes are compared with
those of the releases that `grade release` has noted, or of what the course would release now. A change does not affect
the grade. Notebooks are not protected: the student works in one of them, and the others grade nothing.
"""

from __future__ import annotations

import contextlib
import itertools
import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.classroom.git.process import GitError
from grader.classroom.release.contents import (
    WORKFLOWS,
    assignment_place,
    day_files,
    hashes_of,
    is_protected,
    read_released,
)
from grader.errors import Broken, Refused
from grader.submissions.choice import FileNames, work_in
from grader.submissions.collected import Drift, blob_id, collected_paths
from grader.submissions.states import IN_WORK, State
from grader.submissions.submission import MAX_FILE, SubmissionError
from grader.submissions.tree import TOO_LARGE, TOO_LONG, TOO_MANY, TreeEntry

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.assignment import Assignment
    from grader.classroom.git.remote import GitEntry, Objects

_WHAT = {"folder": "a folder", "link": "a symbolic link", "submodule": "a submodule"}
_UNUSABLE = {"too large": TOO_MANY, "long name": TOO_LONG}  # faults of a folder, by the cause
# A pointer file of Git LFS begins like this, and is shorter than this (git-lfs, docs/spec.md).
_POINTER, _LONGEST_POINTER = b"version https://git-lfs.github.com/spec/", 1024


@dataclass(frozen=True)
class File:
    """A file to be written: its path below the student's folder, its name in the repository, bytes and git hash."""

    place: str
    name: str
    data: bytes = field(repr=False)
    hash: str


@dataclass(frozen=True)
class Taken:
    """The files taken from a commit, the submission first; without any, `state` is the reason."""

    files: tuple[File, ...] = ()
    state: State = IN_WORK
    remarks: tuple[str, ...] = ()
    protected: dict[str, str] = field(default_factory=dict)


class Files:
    """A commit's files as a Tree of grader.submissions."""

    def __init__(self, objects: Objects, tree: str) -> None:
        self._objects, self._tree = objects, tree

    def list(self, folder: str) -> Sequence[TreeEntry]:
        """Implement Tree.list. Raises SubmissionError, GitError."""
        try:
            entry = self._objects.entry(self._tree, folder)
            if entry is None or entry.kind != "folder":
                return []
            found = self._objects.folder(entry.id).items()
        except GitError as error:
            if error.cause not in _UNUSABLE:
                raise
            raise SubmissionError(*_UNUSABLE[error.cause]) from None
        kinds = ((name, entry.kind if entry.kind != "submodule" else "other") for name, entry in found)
        listed = (TreeEntry(name.decode(errors="surrogateescape"), kind) for name, kind in kinds)  # type: ignore[arg-type]  # one of four
        return sorted(listed, key=lambda entry: entry.name)

    def read(self, path: str) -> bytes:
        """Implement Tree.read. Raises SubmissionError, GitError."""
        entry = self._objects.entry(self._tree, path)
        if entry is None or entry.kind != "file":
            what = _WHAT.get(entry.kind, "of an unknown kind") if entry else "not there"
            raise SubmissionError(f"it is {what}", "put the file itself there")
        try:
            data = self._objects.read(entry.id, "blob", MAX_FILE)
        except GitError as error:
            if error.cause not in {"too large", "absent"}:  # files that are too large were not fetched
                raise
            raise SubmissionError(*TOO_LARGE) from None
        if data.startswith(_POINTER) and len(data) < _LONGEST_POINTER:
            raise SubmissionError(
                "Git LFS stores it, and the repository holds only a pointer to it",
                "remove it from LFS with `git lfs untrack` and its name, then add and commit it again",
            )
        return data


def take(assignment: Assignment, wanted: FileNames, objects: Objects, tree: str) -> Taken:
    """Take the work from a commit's tree. Raises GitError if it cannot be read."""
    protected = protected_files(assignment, objects, tree)
    work = work_in(wanted, Files(objects, tree))
    if work.data is None:
        return Taken((), work.state, work.notes, protected)
    found = [(work.name, work.data), *work.earlier]
    files = [
        File(place, name, data, blob_id(data, tree))
        for (name, data), place in zip(found, _at(assignment, [name for name, _ in found]), strict=True)
    ]
    return Taken(tuple(files), work.state, work.notes, protected)


def _at(assignment: Assignment, names: Sequence[str]) -> list[str]:
    """Return the paths for the submission and the earlier work that it continues, in the folders of their assignments."""
    return [
        collected_paths(each)[posixpath.splitext(name)[1] == ".py"]
        for name, each in zip(names, assignment.lineage, strict=False)  # it may continue more
    ]


OURS = f"{WORKFLOWS}/grade.yml"  # written by a release without --no-workflow
DEEPEST = 4  # folders below checks/
MOST_FILES = 500  # protected files and folders of a student that are listed
MOST_KEPT = 100  # differences of one student


class HandedOut:
    """The protected files of each release, or else of the course; `trouble` is the reason why nothing is compared."""

    def __init__(self, assignment: Assignment) -> None:
        """Raise Refused for a damaged record of the releases."""
        self.trouble, self._now = "", dict[str, list[str]]()
        try:
            files = day_files(assignment, [assignment.name], [])
        except (Broken, Refused, OSError) as error:
            self.trouble = str(error)
            return
        self._now = {
            place: hashes_of(data) for place, data in files.items() if is_protected(place, assignment)
        }
        self._given = read_released(assignment) or [self._now]

    def drift(self, found: Mapping[str, str]) -> tuple[Drift, ...]:
        """Return the differences of a student's protected files, given by their hashes.

        The student was given the version with the fewest differences.
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
    """Return the hashes of a student's protected files, at most MOST_FILES, by path. Raises GitError.

    A folder with more entries than any course has counts as empty.
    """
    found = itertools.islice(_below(assignment, objects, tree), MOST_FILES)
    files = {place: entry.id for place, entry in found if entry.kind != "folder"}
    return {place: id_ for place, id_ in sorted(files.items()) if is_protected(place, assignment)}


def _below(assignment: Assignment, objects: Objects, tree: str) -> Iterator[tuple[str, GitEntry]]:
    """Yield the entries at and below the protected paths, folders included."""
    places = (
        (assignment_place(assignment, "assignment.yaml"), 0),
        (assignment_place(assignment, "checks"), DEEPEST + 1),
        (WORKFLOWS, 1),
    )
    for place, depth in places:
        with _skipping_unusable():
            if (entry := objects.entry(tree, place)) is not None:
                yield from _walk(objects, entry, place, depth)


@contextlib.contextmanager
def _skipping_unusable() -> Iterator[None]:
    """Skip a folder with more or longer names than any course has."""
    try:
        yield
    except GitError as error:
        if error.cause not in {"too large", "long name"}:
            raise


def _walk(objects: Objects, entry: GitEntry, place: str, depth: int) -> Iterator[tuple[str, GitEntry]]:
    yield place, entry
    if entry.kind != "folder" or not depth:
        return
    with _skipping_unusable():
        for name, inner in objects.folder(entry.id).items():
            yield from _walk(objects, inner, f"{place}/{name.decode(errors='backslashreplace')}", depth - 1)
