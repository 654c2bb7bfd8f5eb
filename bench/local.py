"""The time that a student waits: a cold `grade DAY` beside bare pytest over as many trivial tests.

    .venv/bin/python bench/local.py [ROUNDS] [DAY ...]

A right, a wrong and an untouched notebook of a day; bare pytest imports numpy where the day has arrays. All commands
run in turn, so that whatever else the machine does falls on all of them; a ratio is the median over the rounds. Prints;
asserts nothing.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measure import GRADE, RIGHT, WRONG, Cost, bare_pytest, copy_course, cost, count_tests

from grader.authoring.reference import make_notebook

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.assignment import Assignment

DAYS = ("day2", "day4")
HEAVY = ("torch", "nbconvert", "jupytext", "nbformat")

# Runs a command of ours inside an interpreter that then says which of the heavy modules it has loaded.
SPY = f"""
import atexit, json, sys
atexit.register(lambda: sys.stderr.write(json.dumps([m for m in {HEAVY!r} if m in sys.modules])))
from grader.cli import main
main(sys.argv[1:])
"""


def main(rounds: int, days: Sequence[str]) -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        course = copy_course(Path(folder) / "course")
        for assignment in map(course.assignment, days):
            write_notebooks(assignment)
            tests = count_tests(assignment)
            imports = "import numpy" if assignment.manifest.arrays else ""
            bare = f"bare pytest, {tests} tests"
            commands = {bare: bare_pytest(course.root, tests, imports)} | {
                f"{name} submission": [str(GRADE), assignment.name, f"{name}.ipynb"]
                for name in ("right", "wrong", "stub")
            }
            found = [
                {name: cost(c, course.root, (0, 1)) for name, c in commands.items()}
                for _ in range(1 + rounds)
            ]
            show(assignment.name, found[1:], bare)
        command = [sys.executable, "-c", SPY, days[0], "right.ipynb"]
        done = subprocess.run(command, cwd=course.root, capture_output=True, text=True, check=False)
    loaded = ", ".join(json.loads(done.stderr.strip().splitlines()[-1])) or "none"
    print(f"imported by `grade {days[0]}`, of {', '.join(HEAVY)}: {loaded}")


def write_notebooks(assignment: Assignment) -> None:
    """Write a right, a wrong and an untouched notebook into the folder of the course."""
    solved = make_notebook(assignment, solved=True)
    texts = {
        "right": solved,
        "wrong": solved.replace(RIGHT, WRONG),
        "stub": assignment.stub.read_text("utf-8"),
    }
    for name, text in texts.items():
        (assignment.course.root / f"{name}.ipynb").write_text(text, encoding="utf-8")


def show(day: str, rounds: list[dict[str, Cost]], bare: str) -> None:
    """Print medians, and the median of each command's ratios to bare pytest."""
    print(f"{f'{day}, seconds, {len(rounds)} rounds':26}     CPU    wall   CPU / bare  wall / bare")
    for name in rounds[0]:
        cpu, wall = (statistics.median(one[name][i] for one in rounds) for i in (0, 1))
        ratios = [statistics.median(one[name][i] / one[bare][i] for one in rounds) for i in (0, 1)]
        print(f"{name:26} {cpu:7.3f} {wall:7.3f} {ratios[0]:12.2f} {ratios[1]:12.2f}")


if __name__ == "__main__":
    rounds, *days = sys.argv[1:] or ["9"]
    main(int(rounds), days or DAYS)
