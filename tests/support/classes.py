"""A small course of two assignments, and students' work in folders and zips."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from helpers import notebook
from minicourse import FILES, add_second, put

from grader.assignment import Assignment, Course
from grader.errors import Refused
from grader.submissions.find import find_works
from grader.submissions.work import Work

WORK = "def double(x): return 2 * x\n"
STUB = notebook("def double(x): ...", backgrade={"assignment": "next"})


def build_two(root: Path) -> Assignment:
    """A course of `mini` and of `next`, which continues it; gives `next`. Nothing of it is ever executed."""
    for name, text in FILES.items():
        put(root, name, text)
    add_second(root, "next", "x = 1\n")
    put(root, "assignments/mini/checks/stub.ipynb", "{}")
    put(root, "assignments/next/checks/stub.ipynb", STUB)
    manifest = root / "assignments/next/assignment.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8") + "continues: mini\n", encoding="utf-8")
    return Course(root).assignment("next")


def fill(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Files below a folder; what ends in `/` is an empty folder. Gives the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def pack(path: Path, files: dict[str, str | bytes], *, level: int = zipfile.ZIP_DEFLATED) -> Path:
    """A zip of these files; what ends in `/` is a folder of its own. Gives its path."""
    with zipfile.ZipFile(path, "w", level) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def link(path: Path, to: Path | str) -> Path:
    """A symbolic link, whose folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(to)
    return path


def works(assignment: Assignment, source: Path) -> dict[str, Work]:
    """Each student's work."""
    return {one.student: one.read() for one in find_works(assignment, source)}


def refused(assignment: Assignment, source: Path) -> str:
    """The error of a source, without its path."""
    with pytest.raises(Refused) as caught:
        find_works(assignment, source)
    text = str(caught.value)
    assert text.startswith(f"{source}: ")
    return text.removeprefix(f"{source}: ")
