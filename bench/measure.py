"""Helpers of the benches: the cost of a command, the course's submissions, bare pytest as the yardstick."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.assignment import Assignment

ROOT = Path(__file__).resolve().parents[1]
GRADE = Path(sys.executable).with_name("grade")
RIGHT, WRONG = "other.data * out.grad", "self.data * out.grad"  # the rule of multiplication


class Cost(NamedTuple):
    """Seconds of processor time (user and system) and of wall time."""

    cpu: float
    wall: float

    def __truediv__(self, other: float) -> Cost:
        return Cost(self.cpu / other, self.wall / other)


def used(who: int) -> float:
    """Return the seconds of processor time of this process, or of its children that have ended."""
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def cost(command: Sequence[str | Path], folder: Path, codes: Sequence[int] = (0,)) -> Cost:
    """Run a command and return its cost. It must end with one of the exit codes, and keeps bytecode.

    The programs beside it are found first, as in an activated environment.
    """
    hidden = ("PYTEST_", "PYTHONDONTWRITEBYTECODE")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    environment["PATH"] = f"{Path(command[0]).parent}{os.pathsep}{environment['PATH']}"
    before, began = used(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    found = Cost(used(resource.RUSAGE_CHILDREN) - before, time.perf_counter() - began)
    if done.returncode not in codes:
        output = (done.stdout + done.stderr).decode("utf-8", errors="replace")
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{output}")
    return found


def copy_course(to: Path) -> Course:
    """Copy what grading needs of the course."""
    for name in ("assignments", "solutions"):
        shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__", "mistakes"))
    return Course(to)


def count_tests(assignment: Assignment) -> int:
    """Count the tests of an assignment, visible and hidden, under every order."""
    with Launcher() as launcher, open_grader(assignment, launcher) as grader:
        return len(grader.suite.tests)


def bare_pytest(folder: Path, tests: int, imports: str = "") -> list[str]:
    """Write so many trivial tests, below this line of imports, into the folder; return the command that runs them there."""
    path = folder / f"test_{tests}.py"
    lines = [f"{imports}\n", *(f"def test_{i}(): assert True\n" for i in range(tests))]
    path.write_text("".join(lines), encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "--disable-plugin-autoload"]
    return [sys.executable, "-m", "pytest", *options, path.name]
