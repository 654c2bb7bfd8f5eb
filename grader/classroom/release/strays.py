"""Files that lie among those for students and are not for them: keys, a class's records, hidden checks by any name."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
import zlib
from contextlib import suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from grader.authoring.giveaways import file_parts, windows
from grader.errors import Refused
from grader.topic import HELPERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from grader.assignment import Assignment, Course
    from grader.authoring.giveaways import Window

# Keys and passwords, records of a class, compiled code; what a listing hides, but for the files of git.
_NAMES = (
    r"id_(rsa|dsa|ecdsa|ed25519)\b.*|.*\.(pem|key|p12|pfx|ppk|kdbx|py[co])|.*\.env(\..*)?|_?netrc|"
    r"(client_)?(secrets?|credentials)\.\w+|.*\.(db|sqlite3?)([.-].*)?|.*salt\.txt|course\.yaml|"
    r"(roster|extensions|overrides)\b.*\.csv|(?!\.git(ignore|attributes|keep)$)\..*"
)
_CONTENTS = (
    rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY|\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22})|\ASQLite format 3\0"
)
_ROSTER = rb"(?i)[^\n]*\b(student|github)\b"


def refuse_strays(assignment: Assignment, files: Mapping[str, bytes]) -> None:
    """Raise Refused for the first of these files, by their names from the course's folder, that is not for students.

    The files in an archive count, too.
    """
    course = assignment.course
    hidden, salts = _hidden_windows(course), [each.salt.encode() for each in course.assignments if each.salt]
    for name, data in sorted(files.items()):
        for each, text in _opened(name, data):
            why = "holds a salt of hidden checks" if any(salt in text for salt in salts) else ""
            if why := why or _why(assignment, PurePosixPath(each), text, hidden):
                raise Refused(
                    f"{course.root / each}: students would get this file, and it {why}; move it out of "
                    "assignments/, then release again"
                )


def _opened(name: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield a file, and the files in it if it is a zip or a tar, with names like those in a folder."""
    yield name, data
    with suppress(
        zipfile.BadZipFile, tarfile.TarError, OSError, RuntimeError, EOFError, ValueError, zlib.error
    ):
        if zipfile.is_zipfile(io.BytesIO(data)):
            packed = zipfile.ZipFile(io.BytesIO(data))
            inside = [(info.filename, packed.read(info)) for info in packed.infolist() if not info.is_dir()]
        else:
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                files = [(member.name, tar.extractfile(member)) for member in tar]
                inside = [(own, file.read()) for own, file in files if file]
        for own, text in inside:
            yield from _opened(f"{name}/{own}", text)


def _why(assignment: Assignment, path: PurePosixPath, data: bytes, hidden: Mapping[Window, str]) -> str:
    """Return what the file is or holds that is not for students; empty if nothing is known against it."""
    if re.fullmatch(_NAMES, path.name, re.IGNORECASE):
        return "has the name of a key, a record of the class, compiled code or a hidden file"
    if re.search(_CONTENTS, data):
        return "holds a private key or a token of GitHub, or is a database"
    if path.suffix in {".csv", ".tsv"} and re.match(_ROSTER, data):
        return "names students in its first line, as a roster does"
    own = path.relative_to(f"assignments/{assignment.name}").parts
    known = {HELPERS, assignment.pristine.name, *(f"test_{check}.py" for check in assignment.manifest.checks)}
    if own[0] == "checks" and path.suffix in {".py", ".ipynb"} and not (len(own) == 2 and own[1] in known):
        return "is no check of assignment.yaml, so it may be a hidden one"
    parts = file_parts(path, data.decode(errors="replace"))
    found = (hidden.get(window, "") for part in parts for _, window in windows(part.text))
    check = next(filter(None, found), "")
    return f"holds lines of the hidden {check}" if check else ""


def _hidden_windows(course: Course) -> dict[Window, str]:
    """Return the hidden file of each run of lines that stands in no visible check and in no untouched notebook.

    A file among the visible checks that has all runs of a hidden one is a copy of it.
    """
    hidden, visible = (
        {p: _windows_of(p) for each in course.assignments for p in each.checks_folder(side).rglob("*.py")}
        for side in ("hidden", "visible")
    )
    given = [runs for runs in visible.values() if not any(own and own <= runs for own in hidden.values())]
    given += [_windows_of(each.pristine) for each in course.assignments if each.pristine.is_file()]
    return {one: path.name for path, runs in hidden.items() for one in runs.difference(*given)}


def _windows_of(path: Path) -> set[Window]:
    parts = file_parts(path, path.read_text(encoding="utf-8", errors="replace"))
    return {window for part in parts for _, window in windows(part.text)}
