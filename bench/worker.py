"""The process of bench/batch.py that grades one submission after another, warm.

    python bench/worker.py COURSE DAY grade|floor

Reads a path a line and answers each with a line of JSON: seconds of processor time with those of the jails, seconds of
wall time, and the points or the number of tests that did not fail. `floor` grades nothing (floor.py).
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from grader.assignment import Course
from grader.grading.grader import Grader, grade_work, open_grader
from grader.sandbox import Launcher
from grader.submissions.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable


def main(course: str, day: str, way: str) -> None:
    """Answer line by line."""
    assignment = Course(Path(course)).assignment(day)
    with Launcher() as launcher, open_grader(assignment, launcher) as grader:
        if way == "floor":
            from floor import Floor

            run: Callable[[Path], float] = Floor(grader).run
        else:
            run = partial(points, grader)
        for line in sys.stdin:
            answer(run, Path(line.strip()))


def answer(run: Callable[[Path], float], path: Path) -> None:
    """Run one submission and print its cost."""
    cpu, wall, nowhere = time.process_time() + jails(), time.perf_counter(), io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        got = run(path)
    print(json.dumps([time.process_time() + jails() - cpu, time.perf_counter() - wall, got]), flush=True)


def points(grader: Grader, path: Path) -> float:
    """Grade one submission; return its points."""
    return float(grade_work(grader, Work(path.name, data=path.read_bytes())).score or 0)


def jails() -> float:
    """Return the seconds of processor time of the launcher, and of its jails that have ended (proc(5))."""
    found = 0
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split():
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        found += sum(map(int, fields[11:15]))
    return found / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main(*sys.argv[1:])
