"""A folder of students' work on disk: repositories that were checked out, or a download that was unpacked."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING

from grader.files import NotPlain, opened_folder, read_plain
from grader.submissions.tree import LARGEST, MOST, TOO_LARGE, TOO_MANY, Entry, Unusable
from grader.submissions.work import SourceError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


class Folder:
    """The tree below a folder.

    `ours` gives device and number of the files that no student may hand in under a second name (a hard link).
    """

    on_disk = True

    def __init__(self, path: Path, ours: Callable[[], frozenset[tuple[int, int]]] = frozenset) -> None:
        self.path, self.ours = path, ours

    def list(self, folder: str) -> Sequence[Entry]:
        """Return a folder's entries by name; none where there is no such folder, or a link. Raises Unusable."""
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
            raise SourceError(f"{path}: cannot be read: {error.strerror}; make it readable") from error
        if len(entries) > MOST:
            raise Unusable(TOO_MANY)
        return sorted(entries, key=lambda entry: entry.name)

    def read(self, path: str) -> bytes:
        """The bytes of a file. Raises Unusable, and SourceError where the disk or its rights are at fault."""
        whole = self.path / path
        try:
            data, status = read_plain(whole, LARGEST, self.path)
        except NotPlain as error:
            link = "it is a symbolic link; put the file itself there"
            other = "it is no file; put the notebook itself there"
            raise Unusable({"link": link, "large": TOO_LARGE}.get(error.kind, other)) from None
        except OSError as error:
            raise SourceError(f"{whole}: cannot be read: {error.strerror}; make it readable") from error
        if status.st_nlink > 1 and (status.st_dev, status.st_ino) in self.ours():
            raise Unusable("it is a second name (a hard link) of a file of the course's; put your own there")
        return data


def _entry(found: os.DirEntry[str]) -> Entry:
    if found.is_symlink():
        return Entry(found.name, "link")
    if found.is_dir(follow_symlinks=False):
        return Entry(found.name, "folder")
    return Entry(found.name, "file" if found.is_file(follow_symlinks=False) else "other")
