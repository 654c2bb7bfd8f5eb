"""The time that a student waits after a save: `grade watch day2` beside a cold `grade day2`.

    .venv/bin/python bench/watch.py

The watch runs in a terminal of its own, in a copy of the course. A notebook that is right and one with a
wrong × are saved in turn; the time runs from the end of the save until the new points stand on the
screen. Prints; asserts nothing.
"""

from __future__ import annotations

import os
import pty
import select
import shutil
import signal
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from pathlib import Path

from grader.assignment import Course
from grader.authoring.reference import make_notebook

ROOT = Path(__file__).resolve().parents[1]
GRADE = str(Path(sysconfig.get_path("scripts")) / "grade")
ROUNDS = 20
PATIENCE = 20.0  # seconds
RIGHT, WRONG = "other.data * out.grad", "self.data * out.grad"


def main() -> None:
    """Measure and print."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    solved = make_notebook(Course.find(ROOT).assignment("day2"), solved=True)
    if RIGHT not in solved:
        sys.exit(f"the reference of day2 has no `{RIGHT}` any more; change this file")
    texts = {"100 of 100": solved, " 25 of 100": solved.replace(RIGHT, WRONG)}
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder) / "course"
        for name in ("assignments", "solutions"):
            shutil.copytree(
                ROOT / name, course / name, ignore=shutil.ignore_patterns("__pycache__", "mistakes")
            )
        notebook = Course(course).assignment("day2").stub
        warm = watched(course, notebook, texts)
        cold = [seconds(course) for _ in range(1 + ROUNDS // 2)][1:]
    print(f"{'seconds of wall time':38}  median   worst")
    for name, times in ((f"save to screen, {ROUNDS} saves", warm), ("grade day2", cold)):
        print(f"{name:38}  {statistics.median(times):6.3f}  {max(times):6.3f}")


def watched(course: Path, notebook: Path, texts: dict[str, str]) -> list[float]:
    """The seconds from each save to the screen."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [GRADE, "watch", "day2"], cwd=course, stdin=theirs, stdout=theirs, start_new_session=True
    ) as process:
        wait_for(ours, "of 100")
        times = []
        for number in range(2 + ROUNDS):
            points = list(texts)[number % 2]
            time.sleep(0.3)
            notebook.write_text(texts[points], encoding="utf-8")
            times.append(wait_for(ours, points.strip()))
        process.send_signal(signal.SIGINT)
    return times[2:]


def wait_for(terminal: int, wanted: str) -> float:
    """The seconds until that is printed."""
    started, text = time.perf_counter(), ""
    while wanted not in text:
        if not select.select([terminal], [], [], PATIENCE)[0]:
            sys.exit(f"{wanted} did not appear; the last was {text[-500:]!r}")
        text += os.read(terminal, 1 << 16).decode(errors="replace")
    return time.perf_counter() - started


def seconds(course: Path) -> float:
    """The wall time of one cold grading."""
    started = time.perf_counter()
    subprocess.run([GRADE, "day2"], cwd=course, capture_output=True, check=False)
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
