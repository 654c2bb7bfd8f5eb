"""The time that a student waits: `grade day2` beside bare pytest over as many trivial tests.

    .venv/bin/python bench/local.py

Both commands run alternately, so that whatever else the machine does falls on both. Seconds of wall
time, measured around a process of its own each time. Prints; asserts nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from grader.assignment import Course
from grader.authoring.reference import make_notebook
from grader.grading.grader import open_grader
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.assignment import Assignment

ROOT = Path(__file__).resolve().parents[1]
ROUNDS = 15
HEAVY = ("torch", "nbconvert", "jupytext", "nbformat")

# Runs a command of ours inside an interpreter that then says which of the heavy modules it has loaded.
SPY = f"""
import atexit, json, sys
atexit.register(lambda: sys.stderr.write(json.dumps([m for m in {HEAVY!r} if m in sys.modules])))
from grader.cli import main
main(sys.argv[1:])
"""


def main() -> None:
    """Measure and print."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # both commands keep bytecode, as on most machines
    assignment = Course.find(ROOT).assignment("day2")
    with solved_notebook(assignment) as notebook, tempfile.TemporaryDirectory() as elsewhere:
        tests = count_tests(assignment)
        trivial = Path(elsewhere) / "test_trivial.py"
        trivial.write_text("".join(f"def test_{i}(): assert True\n" for i in range(1, tests + 1)))
        ours = [str(Path(sysconfig.get_path("scripts")) / "grade"), "day2", str(notebook)]
        bare = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--disable-plugin-autoload"]
        pairs = measure((ours, ROOT), ([*bare, trivial.name], trivial.parent))
        show(pairs, tests)
        loaded = heavy_modules(["day2", str(notebook)])
    print(f"imported by grade day2, of {', '.join(HEAVY)}: {', '.join(loaded) or 'none'}")


@contextlib.contextmanager
def solved_notebook(assignment: Assignment) -> Iterator[Path]:
    """A notebook with full marks inside the course folder; the student's feedback file is put back."""
    feedback = ROOT / "feedback"
    feedback.mkdir(exist_ok=True)
    report = feedback / f"{assignment.name}.json"
    before = report.read_bytes() if report.is_file() else None
    with tempfile.TemporaryDirectory(dir=feedback) as folder:
        path = Path(folder) / assignment.stub.name
        path.write_text(make_notebook(assignment, solved=True), encoding="utf-8")
        try:
            yield path
        finally:
            report.unlink(missing_ok=True)
            if before is not None:
                report.write_bytes(before)


def count_tests(assignment: Assignment) -> int:
    """Count the tests of an assignment, visible and hidden, under every order."""
    with Launcher() as launcher, open_grader(assignment, launcher) as grader:
        return len(grader.suite.tests)


def measure(*commands: tuple[list[str], Path]) -> list[tuple[float, ...]]:
    """The seconds of each command, in rounds, after one round to warm up."""
    rounds = [tuple(seconds(*command) for command in commands) for _ in range(1 + ROUNDS)]
    return rounds[1:]


def seconds(command: list[str], folder: Path) -> float:
    """The wall time of one run, which must succeed."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    started = time.perf_counter()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    elapsed = time.perf_counter() - started
    if done.returncode:
        output = (done.stdout + done.stderr).decode("utf-8", errors="replace")
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{output}")
    return elapsed


def show(pairs: list[tuple[float, ...]], tests: int) -> None:
    """Side by side: medians, minima, and the median of the ratios of each pair."""
    names = ("grade day2", f"bare pytest, {tests} trivial tests")
    print(f"{'seconds of wall time, ' + str(len(pairs)) + ' rounds':38}  median     min")
    for name, times in zip(names, zip(*pairs, strict=True), strict=True):
        print(f"{name:38}  {statistics.median(times):6.3f}  {min(times):6.3f}")
    ratio = statistics.median(ours / bare for ours, bare in pairs)
    print(f"{'grade day2 / bare pytest, per pair':38}  {ratio:6.2f}")


def heavy_modules(arguments: list[str]) -> list[str]:
    """Name the heavy modules that the same command imports in this process (the jail imports none of them)."""
    command = [sys.executable, "-c", SPY, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=True)
    loaded: list[str] = json.loads(done.stderr.strip().splitlines()[-1])
    return loaded


if __name__ == "__main__":
    main()
