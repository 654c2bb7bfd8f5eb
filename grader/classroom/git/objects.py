r"""The objects of a git repository, read without a checkout: commits, folders and files by their hashes.

One `git cat-file --batch` process reads them. Names are untrusted bytes: they are compared and never used as
paths on this disk. Formats (git's documentation, gitformat-pack and git-cat-file):

    answer   `<hash> <type> <size>\n<content>\n`, or `<hash> missing\n`
    commit   its first line is `tree <hash>`
    tree     for each entry `<mode> <name>\0<hash as bytes>`; the mode is octal: 040000 a folder, 100644 and
             100755 a file, 120000 a symbolic link, 160000 a submodule
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from grader.classroom.git.process import GitError, end, start
from grader.submissions.tree import LONGEST_NAME, MOST

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SECONDS = 120.0  # seconds for everything that is read from one repository
LARGEST_FOLDER = 1 << 20  # bytes of a list of entries
LARGEST_COMMIT = 1 << 20  # bytes
_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_TREE = re.compile(rb"tree ([0-9a-f]{40}|[0-9a-f]{64})\n")


@dataclass(frozen=True)
class GitEntry:
    """An entry of a folder."""

    mode: int
    id: str

    @property
    def is_folder(self) -> bool:
        """True for a folder."""
        return self.mode == 0o040000

    @property
    def is_file(self) -> bool:
        """True for a regular file: neither a link nor a submodule."""
        return self.mode & 0o170000 == 0o100000

    @property
    def is_link(self) -> bool:
        """True for a symbolic link."""
        return self.mode & 0o170000 == 0o120000

    @property
    def what(self) -> str:
        """The kind in words."""
        kinds = {
            0o040000: "a folder",
            0o100000: "a file",
            0o120000: "a symbolic link",
            0o160000: "a submodule",
        }
        return kinds.get(self.mode & 0o170000, "of an unknown kind")


def is_hash(text: str) -> bool:
    """Return True for the hash of an object: 40 or 64 hexadecimal digits."""
    return _HASH.fullmatch(text) is not None


class Objects:
    """A repository's objects, as a context manager. Every method raises GitError."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder, self._environment = folder, environment
        self._trees: dict[str, dict[bytes, GitEntry]] = {}
        self._process = self._started()
        self._alarm = threading.Timer(SECONDS, lambda: end(self._process))
        self._alarm.daemon = True

    def __enter__(self) -> Self:
        self._alarm.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._alarm.cancel()
        self._finish()

    def _started(self) -> subprocess.Popen[bytes]:
        return start(
            ["cat-file", "--batch"],
            folder=self._folder,
            environment=self._environment,
            asked=subprocess.PIPE,
            out=subprocess.PIPE,
            said=subprocess.DEVNULL,
        )

    def _finish(self) -> None:
        end(self._process)
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):  # the process has ended, and the rest of the pipe is lost
                pipe.close()

    def read(self, id_: str, kind: str, limit: int) -> bytes:
        """Return the content of an object of that kind and of at most `limit` bytes."""
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None
        assert answers is not None
        try:
            requests.write(f"{id_}\n".encode("ascii"))
            requests.flush()
            head = answers.readline(200).decode("ascii").split()
            if len(head) != 3:
                raise GitError(f"{id_} is not here", "absent")
            size = int(head[2])
            if size > limit:
                self._finish()  # the pipe already has its content
                self._process = self._started()
                raise GitError(f"{id_} has {size} bytes", "too large")
            data = answers.read(size)
            answers.read(1)  # read the end of the line alone: removing it from `data` would copy the file
        except (OSError, ValueError) as error:
            raise GitError(f"{id_} cannot be read", "broken") from error
        if len(data) != size or head[1] != kind:
            raise GitError(f"{id_} is not a {kind}, or is broken", "broken")
        return data

    def tree_of(self, commit: str) -> str:
        """Return the hash of a commit's top folder."""
        found = _TREE.match(self.read(commit, "commit", LARGEST_COMMIT))
        if found is None:
            raise GitError(f"{commit} is a commit without files", "broken")
        return found[1].decode()

    def folder(self, id_: str) -> dict[bytes, GitEntry]:
        """Return the entries of a folder by name, at most MOST; of two with one name the first."""
        if id_ not in self._trees:
            data, width = self.read(id_, "tree", LARGEST_FOLDER), len(id_) // 2
            self._trees[id_] = _entries(data, width)
        return self._trees[id_]

    def entry(self, tree: str, place: str) -> GitEntry | None:
        """Return the entry at a path from the top, None if there is none; an empty path is the top itself."""
        entry = GitEntry(0o040000, tree)
        for name in filter(None, place.split("/")):
            found = (
                self.folder(entry.id).get(name.encode(errors="surrogateescape")) if entry.is_folder else None
            )
            if found is None:
                return None
            entry = found
        return entry


def _entries(data: bytes, width: int) -> dict[bytes, GitEntry]:
    entries: dict[bytes, GitEntry] = {}
    place = 0
    while place < len(data):
        end_of_name = data.find(b"\0", place)
        mode, _, name = data[place:end_of_name].partition(b" ")
        id_ = data[end_of_name + 1 : end_of_name + 1 + width]
        if end_of_name < 0 or len(id_) != width or not re.fullmatch(rb"[0-7]{5,6}", mode):
            raise GitError("a folder's list is broken", "broken")
        if len(name) > LONGEST_NAME:
            raise GitError(f"a name of {len(name)} bytes", "long name")
        if len(entries) == MOST:
            raise GitError(f"a folder of more than {MOST} entries", "too large")
        entries.setdefault(name, GitEntry(int(mode, 8), id_.hex()))
        place = end_of_name + 1 + width
    return entries
