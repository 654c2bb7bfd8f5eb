"""Listing and reading files below a folder, on disk or in an archive, without following links.

Each student has a budget, see MeteredTree: MOST files and folders, MOST_BYTES of files. Each kind of tree checks the bounds
of a folder (MOST entries, names of LONGEST_NAME bytes) and of a file (MAX_FILE bytes) before it builds anything.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

from grader.errors import Refused
from grader.files import NotPlain, opened_folder, read_plain
from grader.submissions.submission import MAX_FILE, SubmissionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

DEEPEST = 8  # folders below a student's
MOST = 10_000  # files and folders of one student, hidden ones included
# Bytes of all files that are read for one student: the work and the earlier work that it continues.
MOST_BYTES = 2 * MAX_FILE
LONGEST_NAME = 255  # bytes of a file's or folder's name; no usual disk takes more
# Files that macOS, Jupyter and Python leave behind; hidden ones are recognised by their dot.
JUNK = frozenset({"__MACOSX", "__pycache__", "node_modules", "venv", "env", "site-packages"})
# Faults, each with its remedy
LINK = ("it is a symbolic link", "put the file itself there")
NO_FILE = ("it is not a file", "put the notebook itself there")
TOO_LARGE = (
    f"it is larger than {MAX_FILE >> 20} MB",
    "clear the outputs (in Jupyter: Edit, Clear Outputs of All Cells), save and hand it in again",
)
TOO_MANY = (
    f"there are more than {MOST:,} files and folders, too many to search",
    "hand in the notebook without data and without installed packages",
)
TOO_LONG = (
    f"a file or folder has a name of more than {LONGEST_NAME} bytes",
    "shorten the name and hand in again",
)
TOO_MUCH = (
    f"with the other notebooks that were read it has more than {MOST_BYTES >> 20} MB",
    TOO_LARGE[1],
)


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, folder or link in a folder. A link is a `link` wherever it leads; a device or a pipe is `other`."""

    name: str
    kind: Literal["file", "folder", "link", "other"]

    @property
    def hidden(self) -> bool:
        """True for hidden names and for files that programs leave behind: never a student's work."""
        return self.name.startswith(".") or self.name in JUNK


class Tree(Protocol):
    """Files below a folder; paths are relative to it, with `/`."""

    def list(self, folder: str) -> Sequence[TreeEntry]:
        """Return a folder's entries by name ("" is the top); none for a missing folder.

        Raises SubmissionError for more than MOST entries and for names of more than LONGEST_NAME bytes.
        """

    def read(self, path: str) -> bytes:
        """Return the bytes of a file, at most MAX_FILE. Raises SubmissionError, and Refused if no student is at fault."""


class Folder:
    """The tree below a folder on disk.

    `ours` returns device and inode of the course's files, which no student may hand in by a hard link.
    """

    def __init__(self, path: Path, ours: Callable[[], frozenset[tuple[int, int]]] = frozenset) -> None:
        self.path, self.ours = path, ours

    def list(self, folder: str) -> Sequence[TreeEntry]:
        """Return a folder's entries by name; none for a link or a missing folder. Raises SubmissionError."""
        path = self.path / folder
        try:
            with (
                opened_folder(path, self.path, os.O_RDONLY) as number,
                os.scandir(path if number is None else number) as found,
            ):
                entries = [_entry(one) for one in itertools.islice(found, MOST + 1)]
        except (FileNotFoundError, NotADirectoryError, NotPlain):
            return []
        except OSError as error:
            raise Refused(f"{path}: cannot be read: {error.strerror}; make it readable") from error
        if len(entries) > MOST:
            raise SubmissionError(*TOO_MANY)
        return sorted(entries, key=lambda entry: entry.name)

    def read(self, path: str) -> bytes:
        """Return the bytes of a file. Raises SubmissionError, and Refused if the disk or its permissions are at fault."""
        whole = self.path / path
        try:
            data, status = read_plain(whole, MAX_FILE, self.path)
        except NotPlain as error:
            raise SubmissionError(*{"link": LINK, "large": TOO_LARGE}.get(error.kind, NO_FILE)) from None
        except OSError as error:
            raise Refused(f"{whole}: cannot be read: {error.strerror}; make it readable") from error
        if status.st_nlink > 1 and (status.st_dev, status.st_ino) in self.ours():
            raise SubmissionError(
                "it is a hard link to a file of the course", "replace it with a file of your own"
            )
        return data


def _entry(found: os.DirEntry[str]) -> TreeEntry:
    if found.is_symlink():
        return TreeEntry(found.name, "link")
    if found.is_dir(follow_symlinks=False):
        return TreeEntry(found.name, "folder")
    return TreeEntry(found.name, "file" if found.is_file(follow_symlinks=False) else "other")


@dataclass(slots=True)
class MeteredTree:
    """One student's tree, which raises SubmissionError beyond MOST entries or MOST_BYTES of files.

    A folder counts once, however often it is listed.
    """

    tree: Tree
    looked_at: int = 0  # files and folders
    taken: int = 0  # bytes
    _listed: dict[str, Sequence[TreeEntry]] = field(default_factory=dict)

    def list(self, folder: str) -> Sequence[TreeEntry]:
        """As Tree.list."""
        if folder not in self._listed:
            self._listed[folder] = self.tree.list(folder)
            self.looked_at += 1 + len(self._listed[folder])
        if self.looked_at > MOST:
            raise SubmissionError(*TOO_MANY)
        return self._listed[folder]

    def read(self, path: str) -> bytes:
        """As Tree.read."""
        data = self.tree.read(path)
        self.taken += len(data)
        if self.taken > MOST_BYTES:
            raise SubmissionError(*TOO_MUCH)
        return data


def visible(tree: Tree, folder: str = "") -> list[TreeEntry]:
    """Return the entries of a folder that may be a student's work."""
    return [entry for entry in tree.list(folder) if not entry.hidden]
