"""The process of bench/batch.py that grades one submission after another, warm.

    python bench/worker.py COURSE DAY grade|floor

Reads a path a line and answers each with a line of JSON: seconds of processor time with those of the jails, seconds of
wall time, and the points or the number of tests that did not fail. `floor` is no grading: the same tests over the same
cells in this process, by direct calls and without a jail, proxies, explanations or pytest's protocol.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import random
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.assignment import Course
from grader.autograd.parity import Oracle, read_records
from grader.autograd.topic import AutogradStudent
from grader.grading.answers import Answers
from grader.grading.grader import Grader, grade_work, open_grader
from grader.sandbox import Launcher
from grader.submissions.submission import read_submission
from grader.submissions.work import Work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import CodeType


def main(course: str, day: str, way: str) -> None:
    """Answer line by line."""
    assignment = Course(Path(course)).assignment(day)
    with Launcher() as launcher, open_grader(assignment, launcher) as grader:
        run = {"grade": graded, "floor": Floor(grader).run}[way]
        for line in sys.stdin:
            answer(run, grader, Path(line.strip()))


def answer(run: Callable[[Grader, Path], float], grader: Grader, path: Path) -> None:
    """Run one submission and print its cost."""
    cpu, wall, nowhere = time.process_time() + jails(), time.perf_counter(), io.StringIO()
    with contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        got = run(grader, path)
    print(json.dumps([time.process_time() + jails() - cpu, time.perf_counter() - wall, got]), flush=True)


def jails() -> float:
    """Return the seconds of processor time of the launcher, and of its jails that have ended (proc(5))."""
    found = 0
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split():
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        found += sum(map(int, fields[11:15]))
    return found / os.sysconf("SC_CLK_TCK")


def graded(grader: Grader, path: Path) -> float:
    """Return the points."""
    return float(grade_work(grader, Work(path.name, data=path.read_bytes())).score or 0)


class Floor:
    """The tests of a suite as plain calls."""

    def __init__(self, grader: Grader) -> None:
        folders = grader.assignment.checks_folders.values()
        self.oracle = Oracle(read_records(folder / "parity.json" for folder in folders))
        items: list[Any] = list(grader.suite.tests.values())
        self.fixtures = {item: tuple(inspect.signature(item.obj).parameters) for item in items}

    def run(self, grader: Grader, path: Path) -> float:
        """Return the number of tests that did not fail."""
        blocks = read_submission(path).blocks
        codes = [compile(block.source, f"<{number}>", "exec") for number, block in enumerate(blocks)]
        return sum(self.passes(grader, test, item, codes) for test, item in grader.suite.tests.items())

    def passes(self, grader: Grader, test: Any, item: Any, codes: Sequence[CodeType]) -> bool:
        """Run one test over freshly executed cells."""
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        student = Direct(codes)
        given = parameters | {
            "student": student,
            "answers": Answers(student, grader.suite.tables.get(test.visibility, {}), lambda *_: None),
            "rng": random.Random(f"{grader.suite.salts[test.visibility]}/{test.check}/{test.name}"),  # noqa: S311
            "oracle": self.oracle,
        }
        try:
            item.obj(*(given[name] for name in self.fixtures[item]))
        except pytest.skip.Exception:
            return True
        except (Exception, pytest.fail.Exception):
            return False
        return True


class Direct(AutogradStudent):
    """The fixture `student` without a jail: its attributes are the objects themselves."""

    def __init__(self, codes: Sequence[CodeType]) -> None:
        self.space: dict[str, Any] = {"__name__": "submission"}
        for code in codes:
            with contextlib.suppress(Exception):  # as the cell of a stub that waits for its answer
                exec(code, self.space)  # noqa: S102  the course's own submissions

    def quietly(self, name: str) -> Any:
        """Return the object of that name."""
        return self.space[name]

    glance = quietly

    def note(self, name: str, value: object) -> None:
        """Nothing is recorded."""

    @contextlib.contextmanager
    def trial(self) -> Iterator[None]:
        """Nothing is recorded."""
        yield

    def leaves(self, **data: float) -> tuple[Any, ...]:
        """Return leaves; from now on `made` collects what else is made."""
        value = self.space["Value"]
        leaves = tuple(value(number) for number in data.values())
        self.nodes: list[Any] = []
        begin = value.__init__

        def collecting(node: Any, *args: Any, **options: Any) -> None:
            begin(node, *args, **options)
            self.nodes.append(node)

        value.__init__ = collecting
        return leaves

    def made(self) -> list[Any]:
        """Return the nodes in the order in which they were made."""
        return list(self.nodes)

    def name(self, /, **objects: Any) -> tuple[Any, ...]:
        """Return the objects; they get no names."""
        return tuple(objects.values())

    def helper(self, source: str, name: str) -> Any:
        """Execute a check's own helper code here."""
        exec(source, self.space)  # noqa: S102  the course's own code
        return self.space[name]


if __name__ == "__main__":
    main(*sys.argv[1:])
