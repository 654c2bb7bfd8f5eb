"""The submission among the files of a student's commit, found by the rule of grader.submissions.choice.

Names that a student has chosen are never used as paths: files are written under the course's own names.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from grader.classroom.collect.handed_out import protected_files
from grader.classroom.git.process import GitError
from grader.classroom.release.contents import lineage
from grader.submissions.choice import FileNames, work_in
from grader.submissions.collected import blob_id, collected_paths
from grader.submissions.states import IN_WORK, State
from grader.submissions.submission import MAX_FILE, SubmissionError
from grader.submissions.tree import TOO_LARGE, TOO_LONG, TOO_MANY, TreeEntry

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.assignment import Assignment
    from grader.classroom.git.objects import GitEntry, Objects

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
            if entry is None or not entry.is_folder:
                return []
            found = self._objects.folder(entry.id).items()
        except GitError as error:
            if error.cause not in _UNUSABLE:
                raise
            raise SubmissionError(*_UNUSABLE[error.cause]) from None
        return sorted((_listed(name, entry) for name, entry in found), key=lambda listed: listed.name)

    def read(self, path: str) -> bytes:
        """Implement Tree.read. Raises SubmissionError, GitError."""
        entry = self._objects.entry(self._tree, path)
        if entry is None or not entry.is_file:
            what = entry.what if entry else "not there"
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


def _listed(name: bytes, entry: GitEntry) -> TreeEntry:
    kind = "folder" if entry.is_folder else "link" if entry.is_link else "file" if entry.is_file else "other"
    return TreeEntry(name.decode(errors="surrogateescape"), kind)  # type: ignore[arg-type]  # one of four


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
        for name, each in zip(names, lineage(assignment), strict=False)  # it may continue more
    ]
