"""The data files of an assignment: the students' folder `data/`, and the one in solutions/ for hidden tests."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import Refused
from grader.files import NotPlain, read_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DATA = "data"
MOST_BYTES, MOST_FILES = 8 << 20, 200  # of both folders: each jail gets all of them
LONGEST_NAME = 100  # characters of a name with its folders
DEVICES = re.compile(r"con|prn|aux|nul|com\d|lpt\d")  # Windows allows no file or folder with these names
_PORTABLE = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_. -]*[A-Za-z0-9_-])?")
_LEFT_OUT = re.compile(r"\..*|__pycache__")  # files of Jupyter, git and the system
_LESS = f"an assignment may have at most {MOST_FILES} data files with {MOST_BYTES:,} bytes in all; keep fewer or smaller files"


def read_data(folders: Mapping[str, Path]) -> dict[str, dict[str, bytes]]:
    """Return the files below these folders, by the key of the folder and by name (`sales.csv`). Raises Refused."""
    found = {key: dict[str, bytes]() for key in folders}
    places, size = dict[str, Path](), 0
    for key, folder in folders.items():
        for path in _files(folder):
            name = path.relative_to(folder).as_posix()
            other = places.setdefault(name.casefold(), path)
            if other != path:
                raise Refused(
                    f"{path}: this file and {other} would have one name in `data/`, where capitals make no difference; rename one"
                )
            found[key][name] = _read(path, folder)
            size += len(found[key][name])
            if size > MOST_BYTES or len(places) > MOST_FILES:
                raise Refused(
                    f"{path}: with this file, there are {len(places)} data files with {size:,} bytes; {_LESS}"
                )
    return found


def _files(folder: Path, above: str = "") -> Iterator[Path]:
    """Yield all files below a folder. Raises Refused."""
    if os.path.lexists(folder) and (folder.is_symlink() or not folder.is_dir()):
        raise Refused(f"{folder}: this must be a folder of data files and not a link; put one there")
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if _LEFT_OUT.fullmatch(path.name):
            continue
        name = f"{above}{path.name}"
        if (
            not _PORTABLE.fullmatch(path.name)
            or DEVICES.fullmatch(path.stem.lower())
            or len(name) > LONGEST_NAME
        ):
            raise Refused(
                f"{path}: rename it; a name of this kind makes trouble on some systems. A name has letters from A to Z, digits, "
                "`_`, `-`, dots and spaces. It begins with a letter, a digit or `_`, and does not end with a dot or a space. It "
                f"has at most {LONGEST_NAME} characters, counted from `data/`, and is no device of Windows, such as `con`"
            )
        is_folder = path.is_dir() and not path.is_symlink()
        yield from _files(path, f"{name}/") if is_folder else [path]


def _read(path: Path, folder: Path) -> bytes:
    try:
        return read_plain(path, MOST_BYTES, folder.parent)[0]
    except OSError as error:
        is_large = isinstance(error, NotPlain) and error.kind == "large"
        why = f"{error.strerror}; {_LESS if is_large else 'put a plain, readable file there'}"
        raise Refused(f"{path}: this data file cannot be used: {why}") from error
