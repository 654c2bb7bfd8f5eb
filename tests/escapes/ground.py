"""The ground of the escapes: a course with a secret, two students, and the real command.

An attack is a submission: a `.py` file in the folder of its promise. It defines `attack()`, which returns "held"
where it failed, else "escaped" and what it got hold of. Its docstring says what it does and, in lines of their own,

    guard: seccomp              what stops it: see GUARDS in without.py, where it can be taken out
    told: check_seconds         (instead of "held") a word of the message that the student reads
    got: a list of              without its guard the student reads this instead of "escaped"
    alone: yes                  without its guard it ends the grader: it is tried in a process of its own
    ways: open copy             of several ways that it tries, those that succeed without its guard
    users: root                 for whom it is tried, if not for everybody
    machine: x86_64             where it is tried, if not everywhere

Above it stand the constants that `preamble` writes: the paths that it attacks.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from grader.report import Report, from_json

HERE = Path(__file__).parent
GRADER = Path(importlib.import_module("grader").__file__ or "").parent
NOBODY = 65534
PATIENCE = 300  # seconds after which a command counts as hung, also on a busy machine
SECRET = "vault-7f3a9c"  # stands in every file that a submission must not read
EXPECTED = 0.735190264  # only the hidden check has it

MANIFEST = """\
format: 1
title: The vault
submission: vault.ipynb
topic: autograd
limits: {load_seconds: 2, check_seconds: 1, total_seconds: 5, memory_mb: 256, output_kb: 16}
checks:
  attack:
    points: 50
    hints: ["a", "b", "c"]
  answer:
    points: 50
    hints: ["a", "b", "c"]
"""
VISIBLE = '''\
"""The attack comes to nothing."""

from _helpers import HELD


def test_attack(student):
    """`attack` returns that it was held."""
    assert student.attack() == HELD
'''
HIDDEN = f'''\
"""A number that is written nowhere else."""

from pytest import approx

MARK = "{SECRET}"


def test_answer(student):
    """The number of {SECRET}."""
    expected = {EXPECTED}
    assert student.answer() == approx(expected)
'''
HONEST = """\
def attack():
    return "held"


def answer():
    return 1.0
"""
FILES = {
    "course/assignments/vault/assignment.yaml": MANIFEST,
    "course/assignments/vault/vault.ipynb": json.dumps(
        {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    ),
    "course/assignments/vault/checks/test_attack.py": VISIBLE,
    "course/assignments/vault/checks/_helpers.py": 'HELD = "held"\n',
    "course/solutions/vault/checks/test_answer.py": HIDDEN,
    "course/solutions/vault/checks/sealed.json": json.dumps(
        {"format": 1, "salt": SECRET, "mistakes": {"salt": SECRET}}
    ),
    "course/solutions/vault/checks/parity.json": json.dumps({"format": 1, "torch": SECRET, "cases": []}),
    "course/solutions/vault/vault.py": f"# %%\ndef answer():\n    return {EXPECTED}  # {SECRET}\n",
    "course/solutions/vault/salt.txt": f"{SECRET}\n",
    "home/.ssh/id_ed25519": f"{SECRET}\n",
    "students/alice/vault.py": HONEST + f"# {SECRET}\n",
}


MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10)
sys.exit(code)
"""


@dataclass(frozen=True)
class Attack:
    """One file of this folder."""

    path: Path
    source: str = field(repr=False)

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def folder(self) -> str:
        return self.path.parent.relative_to(HERE).as_posix()

    def line(self, key: str, otherwise: str) -> str:
        """Return the value of `key` in its docstring."""
        found = re.search(rf"^{key}: (.*)$", self.source, re.MULTILINE)
        return found[1].strip() if found else otherwise


@cache
def attacks(promise: str) -> list[Attack]:
    """Return the attacks on a promise, from the folder of that name."""
    paths, here = sorted((HERE / promise).glob("*.py")), platform.machine()
    found = [Attack(path, path.read_text(encoding="utf-8")) for path in paths]
    return [attack for attack in found if attack.line("machine", here) == here]


@dataclass(frozen=True)
class Tried:
    """The result of an attack: the report, and everything that the command printed."""

    report: Report
    printed: str
    code: int = 1

    @property
    def escaped(self) -> bool:
        """True where the attack says so, or got the points of the hidden check."""
        return "escaped" in self.told or self.report.checks[-1].outcome == "passed"

    @property
    def told(self) -> str:
        """The text `held`, or the message and the readings of the attack's check."""
        check = next(check for check in self.report.checks if check.id == "attack")
        if check.outcome == "passed":
            return "held"
        shown = [f"{row.actual}" for row in check.readings]
        return " ".join([check.outcome, check.message, *shown, *self.report.notes])


@dataclass(eq=False)
class Ground:
    """A course and its students, owned by one user; `python` has the package installed."""

    root: Path
    python: Path
    user: int | None  # whom the command is run as, if not as ourselves

    @property
    def course(self) -> Path:
        return self.root / "course"

    def hand_in(self, source: str | bytes, name: str = "vault.py", student: str = "mallory") -> Path:
        """Write a submission into the student's folder, which is emptied before."""
        folder = self.root / "students" / student
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        path = folder / name
        path.write_bytes(source.encode() if isinstance(source, str) else source)
        self._own(folder)
        return path

    def preamble(self, student: str) -> str:
        """Return the constants for an attack."""
        found = {
            "ROOT": self.root,
            "COURSE": self.course,
            "HOME": self.root / "home",
            "NEIGHBOUR": self.root / "students" / "alice" / "vault.py",
            "MINE": self.root / "students" / student,
            "SECRET_FILES": [str(self.root / name) for name, text in FILES.items() if SECRET in text],
            "PYTHON": self.python,
        }
        lines = [f"{k} = {v!r}" if isinstance(v, list) else f"{k} = {str(v)!r}" for k, v in found.items()]
        return "# %%\n" + "\n".join(lines) + "\n\n# %%\n"

    def submission(self, attack: Attack) -> Path:
        """Hand in an attack, as a student of the same name."""
        return self.hand_in(self.preamble(attack.name) + attack.source, student=attack.name)

    def grade(self, path: Path, env: dict[str, str] | None = None, cwd: Path | None = None) -> Tried:
        """Run `grade vault PATH` in the course's folder; it must end by itself, and without a traceback."""
        command = [str(self.python.with_name("grade")), "vault", str(path), "--format", "json"]
        done = self.run(command, env=env, cwd=cwd)
        printed = (done.stdout + done.stderr).decode(errors="replace")
        assert "Traceback (most recent call last)" not in printed, printed
        assert done.returncode in (0, 1), printed
        return Tried(from_json(done.stdout), printed, done.returncode)

    def without(self, guard: str, paths: Sequence[Path], cwd: Path | None = None) -> list[Tried]:
        """Grade with a guard taken out, all paths in one warm grader."""
        command = [str(self.python), str(HERE / "without.py"), guard, *map(str, paths)]
        done = self.run(command, cwd=cwd)
        printed = (done.stdout + done.stderr).decode(errors="replace")
        reports = [line for line in done.stdout.splitlines() if line.startswith(b"{")]
        assert len(reports) == len(paths), printed
        return [Tried(from_json(report), report.decode()) for report in reports]

    def run(
        self, command: list[str], env: dict[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a command as this ground's user."""
        with self.start(command, env, cwd) as process:
            try:
                printed = process.communicate(timeout=PATIENCE)
            finally:
                process.kill()
        return subprocess.CompletedProcess(command, process.returncode, *printed)

    def measured(self, command: list[str]) -> tuple[subprocess.CompletedProcess[bytes], int]:
        """Run a command; also return the megabytes of the largest process among it and all that it starts."""
        done = self.run([str(self.python), "-c", MEASURED, *command])
        return done, int(done.stdout.split()[-1])

    def start(
        self, command: list[str], env: dict[str, str] | None = None, cwd: Path | None = None, **streams: Any
    ) -> subprocess.Popen[bytes]:
        """Start a command as this ground's user, in a session of its own."""
        identity = {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}
        clean = {"PATH": os.environ["PATH"], "HOME": str(self.root / "home"), "PYTHONIOENCODING": "utf-8"}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            command,
            cwd=cwd or self.course,
            env=clean | {"ESCAPE_SECRET": SECRET} | (env or {}),
            start_new_session=True,
            **(pipes | streams | identity),
        )

    @contextlib.contextmanager
    def limits(self, **limits: float) -> Iterator[None]:
        """Give the manifest these limits inside the block."""
        manifest = self.course / "assignments/vault/assignment.yaml"
        own = manifest.read_text(encoding="utf-8")
        text = own
        for name, value in limits.items():
            text = re.sub(rf"{name}: [\d.]+", f"{name}: {value:g}", text)
        manifest.write_text(text, encoding="utf-8")
        try:
            yield
        finally:
            manifest.write_text(own, encoding="utf-8")

    def _own(self, folder: Path) -> None:
        if self.user is not None:
            for path in [folder, *folder.rglob("*")]:
                os.chown(path, self.user, self.user, follow_symlinks=False)

    def left_behind(self) -> list[str]:
        """Return what past gradings have left: processes, and files that do not belong here."""
        return [*self.processes(), *self._strangers()]

    def processes(self) -> Iterator[str]:
        """Yield each process of this ground: its number and its command line."""
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if str(self.root) in line or str(self.python.parent) in line:
                    yield f"process {folder.name}: {line}"

    def _strangers(self) -> Iterator[str]:
        known = {self.root / name for name in FILES}
        known |= set(self.root.glob("home/.cache/backgrade/manifest/" + 64 * "[0-9a-f]"))
        known |= set(self.root.glob("home/.cache/backgrade/words/" + 64 * "[0-9a-f]"))
        for folder in ("course", "home", "students/alice"):
            for path in (self.root / folder).rglob("*"):
                if (
                    not path.is_dir()
                    and path not in known
                    and not {"feedback", "__pycache__"} & set(path.parts)
                ):
                    yield f"file {path}"


@contextlib.contextmanager
def opened(kind: str, lacking: str = "") -> Iterator[Ground]:
    """A ground of this kind:

    root         whom the interpreter does not need: the jails become nobody
    root-only    root, with an interpreter that only root can read
    ordinary     a user without privileges

    `lacking` is a measure that the system of the install does not have. Where root finds no interpreter that others can
    start, the test is skipped.
    """
    if os.geteuid() == 0 and readable_python() is None:
        pytest.skip("no interpreter here can be started by a user without privileges (apt install python3)")
    with tempfile.TemporaryDirectory(prefix="backgrade-escapes-") as folder:
        root = Path(folder).resolve()
        root.chmod(0o755)
        user = NOBODY if kind == "ordinary" and os.geteuid() == 0 else None
        ground = Ground(root, _install(root, lacking) if lacking else _installed(kind == "root-only"), user)
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        for part in root.iterdir():
            ground._own(part)
        yield ground


INSTALLS: list[Path] = []


@cache
def _installed(private: bool) -> Path:  # noqa: FBT001  the key of a cache
    """Return the interpreter of the install that all grounds share, `private` to root or readable for all."""
    root = Path(tempfile.mkdtemp(prefix="backgrade-escapes-"))
    INSTALLS.append(root)
    root.chmod(0o700 if private else 0o755)
    python = _install(root, private=private)
    subprocess.run(
        [python, "-c", "import grader.__main__, grader.cli, grader.grading.grader, grader.sandbox.doctor"],
        check=True,
    )
    return python


def forget_installs() -> None:
    """Remove the installs of this test run."""
    for root in INSTALLS:
        shutil.rmtree(root)


def _install(root: Path, lacking: str = "", *, private: bool = False) -> Path:
    """Make a virtual environment with the package in it, as a user has it; return its interpreter.

    The first one copies the packages; others link to them. One that is `lacking` a measure looks for it in vain.
    """
    base = readable_python() if os.geteuid() == 0 else sys.executable
    if private:
        base = _copied_python(root)
    assert base is not None
    place = root / "install"
    subprocess.run([base, "-m", "venv", "--without-pip", "--symlinks", str(place)], check=True)
    site = next(place.glob("lib/python3*/site-packages"))
    if private or lacking:
        copied = next(_installed(False).parents[1].glob("lib/python3*/site-packages"))
        for path in copied.iterdir():
            (site / path.name).symlink_to(path)
        if lacking:
            (site / "grader").unlink()
            shutil.copytree(GRADER, site / "grader")
            file = site / "grader" / "sandbox" / "inside" / f"{lacking}.py"
            file.write_text(_looking_in_vain(file.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        _copy_packages(site)
    command = place / "bin" / "grade"
    (entry,) = importlib.metadata.entry_points(group="console_scripts", name="grade")
    lines = [f"#!{place}/bin/python", f"from {entry.module} import {entry.attr}", f"{entry.attr}()"]
    command.write_text("\n".join(lines) + "\n", encoding="utf-8")
    command.chmod(0o755)
    return place / "bin" / "python"


def _copied_python(root: Path) -> str:
    """Copy the interpreter with its library into a folder; return the copy."""
    place, library = root / "python", Path(sysconfig.get_path("stdlib"))
    python = place / "bin" / library.name
    python.parent.mkdir(parents=True)
    shutil.copy2(Path(sys.executable).resolve(), python)
    left_out = shutil.ignore_patterns("site-packages", "dist-packages", "test", "config-*")
    shutil.copytree(library, place / "lib" / library.name, ignore=left_out)
    return str(python)


def _looking_in_vain(source: str) -> str:
    """Return the source of a measure with a system call and a library that no system has."""
    changed = (
        source.replace("= 444,", "= 4444,")
        .replace('seccomp.so.2"', 'gone.so.2"')
        .replace('"seccomp"', '"gone"')
    )
    assert changed != source
    return changed


def _copy_packages(site: Path) -> None:
    """Copy the package and all that it needs, where every user can read it."""
    shutil.copytree(GRADER, site / "grader")  # with the compiled files, which are as good there
    for name in _needed("backgrade"):
        distribution = importlib.metadata.distribution(name)
        for file in distribution.files or ():
            source = Path(str(distribution.locate_file(file)))
            if ".." not in file.parts and source.is_file():
                (site / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(source, site / file)


@cache
def _needed(name: str) -> frozenset[str]:
    """Return the distributions that a package needs, without extras."""
    found: set[str] = set()
    waiting = list(importlib.metadata.requires(name) or ())
    while waiting:
        requirement = waiting.pop()
        wanted = re.split(r"[^\w.-]", requirement)[0]
        if "extra ==" in requirement or wanted in found:
            continue
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):  # of another system
            importlib.metadata.distribution(wanted)
            found.add(wanted)
            waiting += importlib.metadata.requires(wanted) or ()
    return frozenset(found)


@cache
def readable_python() -> str | None:
    """Return an interpreter of this version that a user without privileges can start, or None."""
    version = f"python3.{sys.version_info.minor}"
    for candidate in (sys.executable, f"/usr/bin/{version}", f"/usr/local/bin/{version}"):
        if not Path(candidate).exists():
            continue
        try:
            command = [candidate, "-c", "import ctypes, venv"]
            subprocess.run(command, check=True, capture_output=True, user=NOBODY, group=NOBODY, cwd="/")
        except (OSError, subprocess.CalledProcessError):
            continue
        return candidate
    return None


def kinds() -> list[str]:
    """Return the kinds of grounds that the user of this test run can open."""
    return ["root", "ordinary"] if os.geteuid() == 0 else ["ordinary"]
