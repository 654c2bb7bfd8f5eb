"""The cost of grading a class: `grade batch` per student, beside one warm session and `grade day2`.

    .venv/bin/python bench/batch.py [STUDENTS]

Milliseconds of wall time per student. The floor is `Grader.grade` over the same files in this process: no command,
no executor, no store. Half of the class has the reference, half one known mistake each. Prints; asserts nothing.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.sandbox import Launcher
from grader.submissions.submission import read_submission

if TYPE_CHECKING:
    from grader.assignment import Assignment

ROOT = Path(__file__).resolve().parents[1]
GRADE = Path(sys.executable).with_name("grade")
DAY = "day2"
COLD = 5  # runs of `grade day2`


def main() -> None:
    """Measure and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    assignment = Course(ROOT).assignment(DAY)
    with tempfile.TemporaryDirectory() as folder:
        files = hand_in(Path(folder) / "students", count)
        results = Path(folder) / "results.db"
        batch: list[str | Path] = [GRADE, "batch", DAY, Path(folder) / "students", "--output", results]
        rows = {
            "warm session, no store": warm(assignment, files) / count,
            "grade batch": seconds(*batch) / count,
            "grade batch, nothing new": seconds(*batch) / count,
            f"grade {DAY}, one by one": seconds(GRADE, DAY, files[0], times=COLD) / COLD,
        }
    floor = rows["warm session, no store"]
    for name, each in rows.items():
        print(f"{name:<28}{1000 * each:8.1f} ms a student  {each / floor:6.2f} times the floor")
    print(f"{count} students; {1 / rows['grade batch']:.1f} a second by grade batch")


def hand_in(folder: Path, count: int) -> list[Path]:
    """A class's work; gives the files."""
    reference = next((ROOT / "solutions" / DAY).glob("*.py")).read_text(encoding="utf-8")
    files = []
    for number in range(count):
        path = folder / f"s{number:03}" / f"{DAY}_backward_pass.py"
        path.parent.mkdir(parents=True)
        path.write_text(
            reference.replace("+= out.grad", f"+= {number} * out.grad") if number % 2 else reference,
            encoding="utf-8",
        )
        files.append(path)
    return files


def warm(assignment: Assignment, files: list[Path]) -> float:
    """Seconds for all of them in one session, its start included."""
    begin = time.perf_counter()
    with Launcher() as launcher, open_grader(assignment, launcher) as grader:
        for path in files:
            grader.grade(read_submission(path))
    return time.perf_counter() - begin


def seconds(*command: str | Path, times: int = 1) -> float:
    """Seconds of a command, so many times."""
    begin = time.perf_counter()
    for _ in range(times):
        subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
