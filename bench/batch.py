"""The cost of grading a class in a warm session, beside the same asserts without a grader and bare pytest.

    .venv/bin/python bench/batch.py [--students N] [--days day2,day4] [--against CHECKOUT]

Three classes a day (works.py): all right, in six spellings that are not the reference's; half wrong, with shared
errors; lecture notebooks, where the day has them. The floor is the same tests over the same cells in one process, without a jail, a protocol or
an explanation. Bare pytest is one process a submission with as many trivial tests. `--against` grades the same class by
another checkout with its own .venv, submission by submission in turn, and prints how many times as much that costs.
Milliseconds of processor time a submission, jails included. Prints; asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from measure import GRADE, ROOT, Cost, bare_pytest, cost, count_tests
from works import TRAINING, half_wrong, lectures, repeated, right

from grader.assignment import Course

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.assignment import Assignment

PYTHON = Path(".venv") / "bin" / "python"
BARE = 7  # processes of bare pytest


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--students", type=int, default=48, help="of each class; lecture notebooks are three")
    parser.add_argument("--days", default="day2,day4", help="with commas between them")
    parser.add_argument("--against", type=Path, help="a folder with another checkout and its .venv")
    options = parser.parse_args()
    for day in options.days.split(","):
        measure_day(Course(ROOT).assignment(day), options.students, options.against)


def measure_day(assignment: Assignment, students: int, against: Path | None) -> None:
    """Measure and print the classes of one day."""
    classes = {
        "all right": repeated(right(assignment), students),
        "half wrong": half_wrong(assignment, students),
    }
    if assignment.name in TRAINING:
        classes["lecture notebooks"] = lectures(assignment)
    tests = count_tests(assignment)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        command = bare_pytest(folder, tests)
        bare = sorted(cost(command, folder).cpu for _ in range(1 + BARE))[BARE // 2]
        print(f"{assignment.name}, {tests} tests; bare pytest {1000 * bare:.0f} ms a process")
        print(f"{'ms of CPU a submission':24}  grade  floor  ÷ floor  ÷ bare  a second and core  full marks")
        for name, texts in classes.items():
            show(name, bare, graded(assignment, hand_in(folder / name, assignment, texts), against))
        command = [
            str(GRADE),
            "batch",
            assignment.name,
            str(folder / "all right"),
            "-r",
            str(folder / "r.db"),
        ]
        for name in ("the same class", "nothing new"):
            found = cost(command, ROOT) / students
            print(f"`grade batch`, {name:18} {1000 * found.wall:6.1f} ms of wall time a submission")


def hand_in(folder: Path, assignment: Assignment, texts: Sequence[str]) -> list[Path]:
    """Write a class's work; return the files."""
    files = [folder / f"s{number:03}" / f"{assignment.stub.stem}.py" for number in range(len(texts))]
    for path, text in zip(files, texts, strict=True):
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return files


def graded(assignment: Assignment, files: Sequence[Path], against: Path | None) -> dict[str, Worker]:
    """Grade all files, each in every way before the next one; return the workers with the costs."""
    workers = {
        "grade": Worker(ROOT, assignment.name, "grade"),
        "floor": Worker(ROOT, assignment.name, "floor"),
    }
    if against:
        workers["against"] = Worker(against.resolve(), assignment.name, "grade")
    for path in [assignment.reference, *files]:
        for worker in workers.values():
            worker.run(path)
    for worker in workers.values():
        worker.close()
        del worker.costs[0], worker.got[0]  # of the reference, which warms up
    return workers


class Worker:
    """A process that grades one submission after another (worker.py)."""

    def __init__(self, checkout: Path, day: str, way: str) -> None:
        command = [str(checkout / PYTHON), str(ROOT / "bench" / "worker.py"), str(checkout), day, way]
        self.process = subprocess.Popen(
            command, cwd=checkout, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        self.costs: list[Cost] = []
        self.got: list[float] = []

    def run(self, path: Path) -> None:
        """Grade one file."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(path, file=self.process.stdin, flush=True)
        cpu, wall, got = json.loads(self.process.stdout.readline())
        self.costs.append(Cost(cpu, wall))
        self.got.append(got)

    def close(self) -> None:
        """End it."""
        self.process.communicate()


def show(name: str, bare: float, workers: dict[str, Worker]) -> None:
    """Print the figures of one class."""
    each = {way: statistics.fmean(one.cpu for one in worker.costs) for way, worker in workers.items()}
    grade, floor = each["grade"], each["floor"]
    full = workers["grade"].got.count(100)
    ratios = (
        f"{grade / floor:7.1f} {grade / bare:8.2f} {1 / grade:17.1f} {full:7} of {len(workers['grade'].got)}"
    )
    against = f"   {each['against'] / grade:.2f} times as much there" if "against" in each else ""
    print(f"{name:20} {1000 * grade:9.1f} {1000 * floor:7.1f} {ratios}{against}")


if __name__ == "__main__":
    main()
