"""The time that a student waits after a save under `grade watch`, beside the grading alone.

    .venv/bin/python bench/watch.py [DAY ...]

The watch runs in a terminal of its own, in a copy of the course. A right notebook and one with a wrong × are saved in
turn. The time runs from the end of the save until the new points stand on the screen. After each save an open grader
of this process grades the same notebook. What the watch adds is the time to the screen without that of its own
grading, which its report tells: noticing the save, reading, keeping the report, drawing. Prints milliseconds of wall
time; asserts nothing.
"""

from __future__ import annotations

import os
import pty
import select
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from measure import GRADE, RIGHT, WRONG, copy_course

from grader.authoring.reference import make_notebook
from grader.grading.grader import open_grader
from grader.render.words import score_words
from grader.report import from_json
from grader.sandbox import Launcher
from grader.submissions.intake import in_course
from grader.submissions.submission import submission_from

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.assignment import Assignment

ROUNDS, WARM = 20, 2  # saves of each notebook; the first ones are not counted
PATIENCE = 60.0  # seconds


def main(days: list[str]) -> None:
    """Measure and print."""
    print(f"{'milliseconds, median (worst)':30}  save to screen   grading alone   watch adds")
    for day in days:
        with tempfile.TemporaryDirectory() as folder:
            assignment = copy_course(Path(folder) / "course").assignment(day)
            solved = make_notebook(assignment, solved=True)
            if RIGHT not in solved:
                sys.exit(f"the reference of {day} has no `{RIGHT}` any more; change this file")
            texts = {"right": solved, "wrong": solved.replace(RIGHT, WRONG)}
            for name, times in measured(assignment, texts).items():
                figures = (f"{statistics.median(c):7.0f} ({max(c):4.0f})" for c in zip(*times, strict=True))
                print(f"{f'{day}, {name}, {ROUNDS} saves':30} ", "  ".join(figures))


def measured(assignment: Assignment, texts: dict[str, str]) -> dict[str, list[tuple[float, ...]]]:
    """Return milliseconds for each save of each notebook: to the screen, of the grading alone, of the watch's own work."""
    kept = assignment.course.root / "feedback" / f"{assignment.name}.json"
    times: dict[str, list[tuple[float, ...]]] = {name: [] for name in texts}
    with Launcher() as launcher, open_grader(assignment, launcher) as grader, ExitStack() as stack:
        files = {
            name: in_course(assignment, submission_from(assignment.stub, text.encode()), own=True)
            for name, text in texts.items()
        }
        points = {name: score_words(grader.grade(file)) for name, file in files.items()}
        screen = stack.enter_context(watching(assignment))  # on the core that the launcher has chosen
        wait_for(screen, "points")
        for _ in range(WARM + ROUNDS):
            for name, text in texts.items():
                time.sleep(0.3)
                assignment.stub.write_text(text, encoding="utf-8")
                saved = time.perf_counter()
                wait_for(screen, points[name])
                shown = time.perf_counter() - saved
                alone = grader.grade(files[name]).seconds
                own = shown - from_json(kept.read_bytes()).seconds
                times[name].append((1000 * shown, 1000 * alone, 1000 * own))
    return {name: rows[WARM:] for name, rows in times.items()}


@contextmanager
def watching(assignment: Assignment) -> Iterator[int]:
    """Run `grade watch` in a terminal; yield the terminal."""
    ours, theirs = pty.openpty()
    command = [str(GRADE), "watch", assignment.name]
    with subprocess.Popen(
        command, cwd=assignment.course.root, stdin=theirs, stdout=theirs, start_new_session=True
    ) as process:
        os.close(theirs)
        try:
            yield ours
        finally:
            process.send_signal(signal.SIGINT)
            with suppress(OSError):  # it has ended
                while os.read(ours, 1 << 16):
                    pass


def wait_for(terminal: int, wanted: str) -> None:
    """Read until that is printed."""
    text = ""
    while wanted not in text:
        if not select.select([terminal], [], [], PATIENCE)[0]:
            sys.exit(f"{wanted} did not appear; the last was {text[-500:]!r}")
        text += os.read(terminal, 1 << 16).decode(errors="replace")


if __name__ == "__main__":
    main(sys.argv[1:] or ["day2", "day4"])
