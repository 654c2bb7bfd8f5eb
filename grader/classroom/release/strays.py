"""Files that lie among those for students and are not for them: keys, a class's records, hidden checks by any name."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from grader.authoring.giveaways import windows
from grader.errors import Refused
from grader.topic import HELPERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from grader.assignment import Assignment

_OF_GIT = {".gitignore", ".gitattributes", ".gitkeep"}
_NAMES = {
    "is a key or a password by its name": r"id_(rsa|dsa|ecdsa|ed25519)\b.*|.*\.(pem|key|p12|pfx|ppk|env|kdbx)|_?netrc|"
    r"(client_)?(secrets?|credentials)\.\w+",
    "is a record of the class by its name": r".*\.(db|sqlite3?)([.-].*)?|salt\.txt|course\.yaml|"
    r"(roster|extensions|overrides)\b.*\.csv",
}
_CONTENTS = {
    "holds a private key": rb"-----BEGIN [A-Z0-9 ]*PRIVATE KEY",
    "holds a token of GitHub": rb"\b(gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{22})",
    "is a database": rb"\ASQLite format 3\0",
}


def refuse_strays(assignment: Assignment, files: Mapping[str, bytes]) -> None:
    """Raise Refused for the first of these files, by their names from the course's folder, that is not for students."""
    hidden = _hidden_windows(assignment)
    for name, data in sorted(files.items()):
        if why := _why(assignment, PurePosixPath(name), data, hidden):
            raise Refused(
                f"{assignment.course.root / name}: students would get this file, and it {why}; move it out of "
                "assignments/, then release again"
            )


def _why(
    assignment: Assignment, path: PurePosixPath, data: bytes, hidden: Mapping[tuple[str, ...], str]
) -> str:
    """Return what the file is or holds that is not for students; empty if nothing is known against it."""
    if path.name.startswith(".") and path.name not in _OF_GIT:
        return "is hidden from a listing, as files with passwords are"
    for why, pattern in _NAMES.items():
        if re.fullmatch(pattern, path.name, re.IGNORECASE):
            return why
    for why, shape in _CONTENTS.items():
        if re.search(shape, data):
            return why
    if path.suffix in {".csv", ".tsv"} and {"student", "github"} & set(re.findall(r"\w+", _first_line(data))):
        return "names students in its first line, as a roster does"
    own = path.relative_to(f"assignments/{assignment.name}").parts
    if own[0] == "checks" and path.suffix in {".py", ".ipynb"} and own[1:] not in _checks(assignment):
        return "is no check of assignment.yaml, so it may be a hidden one"
    found = (hidden.get(window, "") for _, window in windows(data.decode(errors="replace")))
    check = next(filter(None, found), "")
    return f"holds lines of the hidden {check}" if check else ""


def _first_line(data: bytes) -> str:
    return data.partition(b"\n")[0].decode(errors="replace").lower()


def _checks(assignment: Assignment) -> set[tuple[str, ...]]:
    """Return the Python files and notebooks that belong into `checks/`."""
    names = [f"test_{check}.py" for check in assignment.manifest.checks]
    return {(name,) for name in (HELPERS, assignment.pristine.name, *names)}


def _hidden_windows(assignment: Assignment) -> dict[tuple[str, ...], str]:
    """Return the hidden file of each run of lines that stands in no visible check."""
    visible = set(_windows_of(assignment.checks_folder("visible").glob("*.py")))
    found = _windows_of(assignment.checks_folder("hidden").rglob("*.py"))
    return {window: name for window, name in found.items() if window not in visible}


def _windows_of(paths: Iterable[Path]) -> dict[tuple[str, ...], str]:
    texts = ((path, path.read_text(encoding="utf-8", errors="replace")) for path in paths)
    return {window: path.name for path, text in texts for _, window in windows(text)}
