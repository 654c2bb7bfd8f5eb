"""`grade new`: writes a small assignment that is sound, and begins a course if there is none."""

from __future__ import annotations

import json
import os
import re
import secrets
import unicodedata
from dataclasses import dataclass
from string import Template
from typing import TYPE_CHECKING

from grader.assignment import Course, trouble_with_name
from grader.authoring.foreign import read_foreign
from grader.authoring.importing import imported_files
from grader.authoring.skeleton import FILES, IGNORE
from grader.errors import Refused, first_of, reason_of
from grader.files import absolute, link_in, seen_from, write_new
from grader.render import escape_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

MAX_TITLE = 100  # characters
LONGEST_STEM = 48  # characters of a file's name
SHOWN = 3  # files of a folder that a question names

# Files of a new repository or an editor: a course may begin in a folder that has them.
_HARMLESS = re.compile(
    r"\.git.*|\.venv|venv|\.vscode|\.idea|\.devcontainer|\.editorconfig|\.python-version|\.DS_Store|\.ci"
    r"|\.pre-commit-config\.yaml|(README|LICEN[CS]E|COPYING|NOTICE|CHANGELOG|CONTRIBUTING|CODE_OF_CONDUCT)(\..*)?"
    r"|CITATION\.cff|pyproject\.toml|uv\.lock|requirements.*\.txt|constraints\.txt",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _NewFiles:
    """The files to write, and the reason to ask first (empty if there is none)."""

    name: str
    root: Path
    files: dict[Path, str | bytes]
    doubt: str
    notes: tuple[str, ...] = ()  # what could not be taken from another tool's assignment


def plan(name: str, title: str | None, here: Path, source: Path | None = None) -> _NewFiles:
    """Return what `grade new DAY` would write from the folder `here`; `source` is another tool's assignment. Raises Refused."""
    _refuse_name(name)
    root, doubt = _where(here)
    begins = not (root / "solutions").exists()
    _refuse_existing(root, name)
    foreign = read_foreign(source) if source else None
    if title is None:
        title = (foreign.heading if foreign else "") or _title_of(name)
    else:
        title = _checked_title(title)
    values = {
        "name": name,
        "stem": _stem(name, title),
        "title": title,
        "title_quoted": json.dumps(title, ensure_ascii=False),
    }
    texts: dict[str, str | bytes] = {
        Template(path).substitute(values): Template(text).safe_substitute(values)
        for path, text in FILES.items()
        if not foreign or path.endswith("README.md")
    }
    if foreign:
        texts = imported_files(foreign, name, values["stem"], title) | texts
    texts[f"solutions/{name}/salt.txt"] = secrets.token_hex(16) + "\n"
    if begins and not os.path.lexists(root / ".gitignore"):
        texts[".gitignore"] = IGNORE
    notes = tuple(foreign.notes) if foreign else ()
    return _NewFiles(name, root, {root / path: text for path, text in texts.items()}, doubt, notes)


def write(plan: _NewFiles) -> list[Path]:
    """Write all files or none; return them. Raises Refused."""
    made: list[Path] = []
    try:
        for path, text in plan.files.items():
            made += _make_folders(plan.root, path.parent)
            write_new(path, text.encode() if isinstance(text, str) else text, plan.root)
            made.append(path)
    except OSError as error:
        _undo(made)
        raise Refused(f"{error.filename or plan.root}: cannot be written: {reason_of(error)}") from error
    except Refused:
        _undo(made)
        raise
    return list(plan.files)


def render(plan: _NewFiles, here: Path) -> str:
    """Return the list of written files and the next three commands."""
    rows = [f"  {seen_from(path, here)}" for path in plan.files]
    steps = {
        f"grade stub {plan.name}": "writes the student's notebook and the other generated files",
        f"grade validate {plan.name}": "checks that everything fits together",
        f"grade {plan.name}": "grades the untouched notebook, as a student's first try",
    }
    wide = max(map(len, steps))
    following = [f"  {command:<{wide}}  {what}" for command, what in steps.items()]
    change = "Change these files into your own; run the first two commands again after each change."
    notes = (
        ["", "Not carried over, or changed:", *(f"  {escape_line(note)}" for note in plan.notes)]
        if plan.notes
        else []
    )
    return (
        "\n".join(["Written:", *map(escape_line, rows), *notes, "", "Next:", *following, "", change]) + "\n"
    )


# --- Names


def _refuse_name(name: str) -> None:
    trouble = trouble_with_name(name)
    if trouble:
        meant = _proposal(name)
        raise Refused(
            f"{name}: {trouble}; " + (f"try `grade new {meant}`" if meant else "choose another name")
        )


def _proposal(name: str) -> str:
    """Return the nearest name that an assignment may have, or an empty text."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    plain = re.sub(r"(?<=[a-z])[\W_]+(?=\d)", "", plain)
    plain = re.sub(r"\W+", "_", plain).strip("_")
    plain = f"day{plain}" if plain[:1].isdigit() else plain
    return "" if trouble_with_name(plain) else plain


def _title_of(name: str) -> str:
    """Return a title made from a name: `Day 6` from `day6`."""
    words = re.sub(r"(?<=[a-z])(?=\d)", " ", name.replace("_", " ")).strip()
    return words[:1].upper() + words[1:]


def _checked_title(title: str) -> str:
    title = " ".join(title.split(" ")).strip()
    if not title or not title.isprintable() or len(title) > MAX_TITLE:
        raise Refused(
            f"--title must be one line of at most {MAX_TITLE} printable characters; write another title or leave out --title"
        )
    return title


def _stem(name: str, title: str) -> str:
    """Return the name of the notebook without its suffix: `day6_roman_numerals`."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = [word for word in re.findall(r"[a-z0-9]+", plain) if word not in name.split("_")]
    if "".join(words) == name.replace("_", ""):
        return name
    stem = name
    for word in words:
        if len(stem) + 1 + len(word) > max(LONGEST_STEM, len(name)):
            break
        stem += f"_{word}"
    return stem


# --- Folders


def _where(here: Path) -> tuple[Path, str]:
    """Return the folder of the course, and the reason to ask before writing into it."""
    here = absolute(here)
    try:
        course = Course.find(here)
    except Refused:
        course = None
    if course is not None and course.names:
        students = (
            ""
            if (course.root / "solutions").is_dir()
            else (f"{course.root}: this course has no solutions/, like the copy of a student")
        )
        return course.root, students
    others = sorted(
        entry for entry in _names_in(here) if not _HARMLESS.fullmatch(entry) and not _ours(here / entry)
    )
    if not others:
        return here, ""
    return here, f"{here}: this folder is not a course, and holds other files: {first_of(others, SHOWN)}"


def _ours(path: Path) -> bool:
    """Return True for an empty `assignments/` or `solutions/`."""
    return path.name in {"assignments", "solutions"} and path.is_dir() and not _names_in(path)


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208  its names only
    except OSError as error:
        raise Refused(f"{folder}: cannot be read: {error.strerror}; go to another folder") from error


def _refuse_existing(root: Path, name: str) -> None:
    for folder in (root / "assignments", root / "solutions"):
        if (link := link_in(root, folder)) is not None:
            raise Refused(f"{link}: this is a symbolic link, not a folder; put the folder itself there")
        if os.path.lexists(folder) and not folder.is_dir():
            raise Refused(
                f"{folder}: this is a file, and a course needs a folder of this name; rename the file"
            )
        if os.path.lexists(folder / name):
            raise Refused(
                f"{folder / name}: this exists already, and nothing is overwritten; choose another name"
            )


# --- Writing


def _make_folders(root: Path, folder: Path) -> list[Path]:
    """Make the missing folders below `root`; return them, the outer ones first."""
    missing = [f for f in (folder, *folder.parents) if f.is_relative_to(root) and not os.path.lexists(f)]
    for path in reversed(missing):
        path.mkdir()
    return missing[::-1]


def _undo(made: Iterable[Path]) -> None:
    for path in reversed(list(made)):
        remove: Callable[[], None] = path.rmdir if path.is_dir() else path.unlink
        remove()
