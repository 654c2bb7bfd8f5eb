"""`grade release` as the tests call it: in this process, on small courses."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers import COURSE, Ran
from minicourse import FILES, put

from grader.cli import main

ADA = {
    "GIT_AUTHOR_NAME": "Ada Lovelace",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada Lovelace",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}
STUB = json.dumps({"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}) + "\n"
VISIBLE = {name: text for name, text in FILES.items() if name.startswith("assignments/")}


def without_solutions(root: Path) -> Path:
    """The miniature course as it is where nothing can be looked at."""
    for name, text in VISIBLE.items():
        put(root, name, text)
    for name in ("mini.ipynb", "checks/stub.ipynb"):
        put(root, f"assignments/mini/{name}", STUB)
    return root


def set_own_git(monkeypatch: pytest.MonkeyPatch, folder: Path, **more: str) -> None:
    """Let git know who the instructor is, and nothing else of this machine; `more` are other variables."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    own = {"GIT_CONFIG_GLOBAL": str(folder / "gitconfig"), "GIT_CONFIG_NOSYSTEM": "1"}
    for name, value in (ADA | own | more).items():
        monkeypatch.setenv(name, value)


class Answers(io.StringIO):
    """A person at a terminal."""

    def isatty(self) -> bool:
        return True


class Instructor:
    """Types commands in a course's folder."""

    def __init__(
        self, course: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.course, self.monkeypatch, self.capsys = course, monkeypatch, capsys

    def release(self, *words: str | Path, answer: str | None = None) -> Ran:
        """`grade release ...`, with an answer typed where one is given."""
        with self.monkeypatch.context() as patch:
            patch.chdir(self.course)
            patch.setattr(sys, "stdin", io.StringIO() if answer is None else Answers(answer))
            try:
                main.main(["release", *map(str, words)])
            except SystemExit as ended:
                code = int(ended.code or 0)
        said = self.capsys.readouterr()
        return Ran(code, said.out, said.err)


def lessons(to: Path, days: Sequence[str] = ()) -> Path:
    """A course without solutions: the assignments of ours, or these of them."""
    ignored = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for day in days or [path.name for path in (COURSE / "assignments").iterdir()]:
        shutil.copytree(COURSE / "assignments" / day, to / "assignments" / day, ignore=ignored)
    shutil.copy(COURSE / "constraints.txt", to)
    return to


def tree(folder: Path) -> dict[str, bytes]:
    """Every file in a folder, by its place."""
    paths = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def git(*words: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Return the output of git, which must succeed."""
    done = subprocess.run(
        ["git", *map(str, words)],
        cwd=cwd,
        env=os.environ | (env or {}),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def without_an_index(requirements: Path, dependencies: Path) -> None:
    """Have requirements.txt name the wheel that it brings along and this one, and nothing of an index."""
    lines = requirements.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line.startswith(("-c ", "./vendor/"))]
    requirements.write_text("\n".join([*kept, str(dependencies), ""]), encoding="utf-8")


def installed_here(folder: Path) -> Path:
    """A wheel that brings nothing but the way to the dependencies that are installed here."""
    path = folder / "here-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("here.pth", sysconfig.get_path("purelib") + "\n")
        made.writestr("here-1.dist-info/METADATA", "Metadata-Version: 2.1\nName: here\nVersion: 1\n")
        made.writestr(
            "here-1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr("here-1.dist-info/RECORD", "")
    return path
