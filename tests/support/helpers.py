"""Helpers for tests of several rooms: the course's references, notebooks made from cells, the real command."""

from __future__ import annotations

import atexit
import contextlib
import difflib
import functools
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import yaml

from grader.cli import main
from grader.report import CheckResult, Report, from_json

COURSE = Path(__file__).resolve().parents[2]
GRADE = Path(sys.executable).with_name("grade.exe" if os.name == "nt" else "grade")
SKIPPED = ("verify", "demo")
PATIENCE = 60  # seconds after which a command counts as hung


# --- The course


def reference(day: str) -> str:
    """The source of the day's reference, in percent format."""
    (path,) = (COURSE / "solutions" / day).glob("*.py")
    return path.read_text(encoding="utf-8")


def stub_name(day: str) -> str:
    """The file name of the day's notebook."""
    (path,) = (COURSE / "solutions" / day).glob("*.py")
    return f"{path.stem}.ipynb"


def cells(day: str) -> list[str]:
    """The code cells of the day's reference that are graded, in order."""
    parts = re.split(r"^# %%(.*)\n", reference(day), flags=re.MULTILINE)
    pairs = zip(parts[1::2], parts[2::2], strict=True)
    return [
        source.strip("\n")
        for header, source in pairs
        if "[markdown]" not in header and not any(tag in header for tag in SKIPPED)
    ]


def cell_with(day: str, text: str) -> int:
    """The index in `cells(day)` of the one cell that contains `text`."""
    (place,) = (i for i, source in enumerate(cells(day)) if text in source)
    return place


def copy_course(to: Path) -> Path:
    """Copy what grading needs of the course into a folder of the test's own; gives that folder.

    The mistakes, which only `grade validate` and `grade stub` read, stay behind.
    """
    for folder in ("assignments", "solutions"):
        shutil.copytree(
            COURSE / folder, to / folder, ignore=shutil.ignore_patterns("__pycache__", "mistakes")
        )
    return to


def edit_manifest(course: Path, day: str, **changes: Any) -> None:
    """Change keys of a copied manifest; a table is merged into the one that is there."""
    path = course / "assignments" / day / "assignment.yaml"
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    _merge(data, changes)
    path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")


def _merge(into: dict[str, Any], changes: Mapping[str, Any]) -> None:
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            _merge(into[key], value)
        else:
            into[key] = value


# --- Notebooks


def notebook(
    *sources: str,
    tags: Mapping[int, Sequence[str]] | None = None,
    kinds: Mapping[int, str] | None = None,
    **metadata: Any,
) -> str:
    """The text of a notebook with these cells, of code unless `kinds` has another type.

    `tags` gives tags to cells by their number from 1; other keywords go into its metadata.
    """
    made = [
        {
            "cell_type": (kinds or {}).get(number, "code"),
            "execution_count": None,
            "id": f"cell-{number}",
            "metadata": {"tags": list((tags or {}).get(number, ()))},
            "outputs": [],
            "source": source,
        }
        for number, source in enumerate(sources, start=1)
    ]
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def executed(text: str) -> str:
    """Return a notebook as Jupyter saves it after it ran: with outputs, execution counts and a note."""
    found = json.loads(text)
    for number, cell in enumerate(cell for cell in found["cells"] if cell["cell_type"] == "code"):
        cell["execution_count"] = number
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "6\n"}]
    found["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "# My notes"})
    return json.dumps(found, indent=2)


# --- The command


@dataclass(frozen=True)
class Ran:
    """The result of a command: its exit code and its output."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Everything that it printed, on one line, as if nothing had been wrapped."""
        return " ".join(f"{self.out} {self.err}".split())


READ_LATE = ("GITHUB_", "BACKGRADE_PACE", "COLUMNS")  # variables that a running command reads
# Commands that run in the process of the tests: they grade in processes of their own, if at all.
HERE = {"batch", "collect", "copies", "diff", "open", "override", "post", "release", "report"}


def grade(*args: str | Path, cwd: Path, env: Mapping[str, str] | None = None, cold: bool = False) -> Ran:
    """Run the installed `grade` command; it must come to an end, and without a traceback.

    Where `cold`, and with variables that may be read at the start, it is a process from its start on. Else the
    commands in HERE run in this process, the others in a fork of one that is up.
    """
    environment = os.environ | {"PYTHONIOENCODING": "utf-8", "COLUMNS": "100"} | dict(env or {})
    usual = not cold and all(name.startswith(READ_LATE) for name in env or {})
    if usual and args and args[0] in HERE:
        run = _run_here
    else:
        run = _warm().run if usual and sys.platform == "linux" else _run_cold
    ran = Ran(*run([*map(str, args)], cwd, environment))
    assert "Traceback (most recent call last)" not in ran.out + ran.err, ran.out + ran.err
    return ran


def start_grade(*args: str, cwd: Path, env: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start the command as a process of its own, which can be killed; what it prints is in one pipe."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    return subprocess.Popen([GRADE, *args], cwd=cwd, env=os.environ | dict(env), text=True, **streams)


def _run_cold(args: list[str], cwd: Path, env: Mapping[str, str]) -> tuple[int, str, str]:
    streams = {"stdin": subprocess.DEVNULL, "capture_output": True}
    done = subprocess.run([GRADE, *args], cwd=cwd, env=env, timeout=PATIENCE, check=False, **streams)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def _run_here(args: list[str], cwd: Path, env: Mapping[str, str]) -> tuple[int, str, str]:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True, newline="") for _ in range(2))
    code: Any = 0
    with (
        contextlib.chdir(cwd),
        mock.patch.dict(os.environ, env),
        mock.patch.object(sys, "stdin", io.StringIO()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main.main(args, prog_name="grade")
        except SystemExit as ended:
            code = ended.code
    printed = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return code if isinstance(code, int) else int(code is not None), *printed


class _Warm:
    """A `grade` that is already up; see warm_grade.py."""

    def __init__(self) -> None:
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, COURSE / "tests" / "support" / "warm_grade.py", GRADE]
            self.process = subprocess.Popen(command, stdin=theirs, start_new_session=True)
        self.socket.settimeout(PATIENCE)
        atexit.register(self.end)

    def run(self, args: list[str], cwd: Path, env: Mapping[str, str]) -> tuple[int, str, str]:
        message = json.dumps({"args": args, "cwd": str(cwd), "env": dict(env)}).encode()
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            socket.send_fds(self.socket, [message], [out.fileno(), err.fileno()])
            try:
                code = int(self.socket.recv(16))
            except TimeoutError:
                self.end()
                raise
            printed = [file.seek(0) or file.read().decode(errors="replace") for file in (out, err)]
        return code, *printed

    def end(self) -> None:
        """Also of the command that it is amid."""
        _warm.cache_clear()
        self.socket.close()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


_warm = functools.cache(_Warm)


def grade_json(day: str, path: str | Path, *args: str | Path, cwd: Path) -> Report:
    """Grade one file and give its report; the command's exit code must agree with it."""
    ran = grade(day, path, "--format", "json", *args, cwd=cwd)
    assert ran.code in (0, 1, 3), ran.text
    report = from_json(ran.out)
    expected = 3 if report.score is None else int(report.score != report.max_score)
    assert ran.code == expected
    return report


def write_files(root: Path, files: Mapping[str, str]) -> None:
    """Write texts by their paths below a folder."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


def hand_in(course: Path, text: str | bytes, name: str = "mine.ipynb") -> Path:
    """Write a submission into the course folder; gives its path."""
    path = course / name
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return path


SNAPSHOTS = COURSE / "tests" / "snapshots"
USED_SNAPSHOTS: set[str] = set()


def same_as_snapshot(name: str, text: str) -> None:
    """Compare a page with the one that is kept in tests/snapshots, a .txt without an ending of its own.

    A run of the whole suite fails if no test used a file.
    """
    path = SNAPSHOTS / (name if "." in name else f"{name}.txt")
    USED_SNAPSHOTS.add(path.name)
    same_as_kept(path, text)


def same_as_kept(path: Path, text: str) -> None:
    """Compare a text with a file of the repository. `pytest --snapshot-update` writes the file anew."""
    if "UPDATE_SNAPSHOTS" in os.environ:
        path.write_text(text, encoding="utf-8")
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    if text != kept:
        lines = difflib.unified_diff(kept.splitlines(), text.splitlines(), "kept", "now", lineterm="", n=1)
        test = os.environ["PYTEST_CURRENT_TEST"].partition("::")[0]
        pytest.fail(
            "\n".join(
                [
                    f"{path.relative_to(COURSE)} differs. If the new text is what you want, run",
                    f"pytest {test} --snapshot-update",
                    *lines,
                ]
            ),
            pytrace=False,
        )


# --- Reading reports


def check(report: Report, name: str) -> CheckResult:
    """One check of a report."""
    (found,) = (check for check in report.checks if check.id == name)
    return found


def passed(report: Report) -> set[str]:
    """The checks that passed."""
    return {check.id for check in report.checks if check.outcome == "passed"}


def not_passed(report: Report) -> set[str]:
    """The checks that did not pass."""
    return {check.id for check in report.checks} - passed(report)


def unpack_files(data: bytes) -> dict[str, bytes]:
    """Return the files of an archive by name."""
    with tarfile.open(fileobj=io.BytesIO(data)) as opened:
        return {info.name: file.read() for info in opened if (file := opened.extractfile(info))}
