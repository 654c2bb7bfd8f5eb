"""The same engine under the same assertions in four autograders: `grade`, otter-grader, nbgrader and check50.

    .venv/bin/python bench/peers.py [--environments FOLDER] [--rounds N]

Each peer is installed by pip into an environment of its own, in a temporary folder or in FOLDER, which is used again.
Each grades as its documentation says for one machine without containers: one process a submission, all in turn, and a
class of ten in one process where it can. Seconds a submission. A tool that cannot be installed or run says so in one line.
Prints; asserts nothing.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import statistics
import subprocess
import tempfile
import textwrap
import venv
from pathlib import Path

import nbformat
from measure import GRADE, RIGHT, ROOT, WRONG, Cost, cost

from grader.assignment import Course
from grader.submissions.submission import read_submission

PAIR = ("right", "wrong")
CLASS = [f"student{number}" for number in range(10)]
TESTS = {
    "sum": "assert (Value(2.0) + Value(-3.0)).data == -1.0",
    "product": "assert (Value(2.0) * Value(-3.0)).data == -6.0",
    "numbers": "assert (2 * Value(3.0) + 1).data == 7.0",
    "sum_rule": "a, b = Value(2.0), Value(-3.0)\nc = a + b\nc.grad = 4.0\nc._backward()\nassert a.grad == b.grad == 4.0",
    "left_factor": "a, b = Value(2.0), Value(-3.0)\nc = a * b\nc.grad = 1.0\nc._backward()\nassert a.grad == -3.0",
    "right_factor": "a, b = Value(2.0), Value(-3.0)\nc = a * b\nc.grad = 4.0\nc._backward()\nassert b.grad == 8.0",
    "twice": "a = Value(3.0)\nc = a + a\nc.grad = 1.0\nc._backward()\nassert a.grad == 2.0",
    "square": "a = Value(3.0)\nc = a * a\nc.grad = 1.0\nc._backward()\nassert a.grad == 6.0",
    "tanh": "a = Value(0.0)\nc = a.tanh()\nc.grad = 2.0\nc._backward()\nassert (c.data, a.grad) == (0.0, 2.0)",
    "walk": "a, b = Value(2.0), Value(-3.0)\nc = a * b\nd = c + a\nd.grad = 1.0\nd._backward()\nc._backward()\nassert a.grad == -2.0",
}


def engines() -> dict[str, str]:
    """Return the engine of day 2: the reference, one that is right in another spelling, and a wrong one."""
    blocks = read_submission(Course(ROOT).assignment("day2").reference).blocks
    source = "\n\n".join(
        block.source
        for block in blocks
        if any(word in block.source for word in ("import math", "class Value", "def tanh"))
    )
    right = source.replace("1 - t**2", "1 - t * t")
    return {"reference": source, "right": right, "wrong": right.replace(RIGHT, WRONG)}


def notebook(source: str, *tests: tuple[str, str]) -> str:
    """Return a notebook with a cell for the engine and one for each test, with nbgrader's metadata."""
    made = nbformat.v4.new_notebook()
    made.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    for name, text in (("engine", source), *tests):
        test = name != "engine"
        kind = {"grade": test, "solution": not test, "locked": test, "task": False, "points": int(test)}
        own = {"schema_version": 3, "grade_id": name} | kind
        made.cells.append(nbformat.v4.new_code_cell(text, id=name, metadata={"nbgrader": own}))
    return str(nbformat.writes(made))


def write(path: Path, text: str) -> None:
    """Write a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def function(name: str, parameter: str, *before: str) -> str:
    """Return a test as a function."""
    lines = "\n".join([*before, TESTS[name]])
    return f"def test_{name}({parameter}):\n{textwrap.indent(lines, '    ')}\n"


class Tool:
    """A tool in its environment; without `packages` that of this process."""

    name = program = ""
    packages: tuple[str, ...] = ()

    def __init__(self, folder: Path, environment: Path) -> None:
        self.folder, self.result = folder, ""
        self.programs = environment / "bin" if self.packages else GRADE.parent
        self.start = str(self.programs / self.program)

    def version(self) -> str:
        """Return its version."""
        script = f"from importlib.metadata import version; print(version({self.name!r}))"
        return subprocess.check_output([self.programs / "python", "-c", script], text=True).strip()

    def prepare(self) -> None:
        """Write the tests."""

    def hand_in(self, student: str, source: str) -> None:
        """Write a submission."""

    def one(self, student: str) -> tuple[list[str], Path]:
        """Return the command that grades one submission, and the folder in which it runs."""
        raise NotImplementedError

    def many(self) -> list[str]:
        """Return the command that grades `CLASS`; empty if there is none."""
        return []

    def passed(self, student: str) -> int:
        """Return the number of tests that passed at the last grading."""
        raise NotImplementedError


class Grade(Tool):
    """An assignment with a check a test, and what `grade stub` makes for it."""

    name, program = "backgrade", "grade"

    def prepare(self) -> None:
        checks = "".join(f"  {test}: {{points: 1, hints: [none]}}\n" for test in TESTS)
        head = "format: 1\ntitle: Engine\nsubmission: engine.ipynb\ntopic: autograd\noperations: ['+', '*', tanh]\n"
        assignment = self.folder / "assignments" / "engine"
        write(assignment / "assignment.yaml", f"{head}checks:\n{checks}")
        write(self.folder / "solutions" / "engine" / "engine.py", f"# %%\n{engines()['reference']}")
        for test in TESTS:
            body = function(test, "student", "Value = student.Value")
            write(assignment / "checks" / f"test_{test}.py", f'"""{test}."""\n\n\n{body}')
        cost([self.start, "stub", "engine"], self.folder)

    def hand_in(self, student: str, source: str) -> None:
        write(self.folder / "students" / student / "engine.ipynb", notebook(source))

    def one(self, student: str) -> tuple[list[str], Path]:
        return [self.start, "engine", f"students/{student}/engine.ipynb"], self.folder

    def many(self) -> list[str]:
        return [self.start, "batch", "engine", "students", "--regrade", "--results", "results.db"]

    def passed(self, student: str) -> int:  # noqa: ARG002  the last report is that of the student
        report = json.loads((self.folder / "feedback" / "engine.json").read_text(encoding="utf-8"))
        return int(report["score"])


class Otter(Tool):
    """`otter run` with the zip of `otter generate`."""

    name, program, packages = "otter-grader", "otter", ("otter-grader", "ipykernel")

    def prepare(self) -> None:
        for test in TESTS:
            head = f"OK_FORMAT = False\nfrom otter.test_files import test_case\n\nname, points = {test!r}, 1\n\n\n"
            write(self.folder / "tests" / f"{test}.py", f"{head}@test_case()\n{function(test, 'Value')}")
        cost([self.start, "generate", "--tests-dir", "tests", "--output-path", "autograder.zip"], self.folder)

    def hand_in(self, student: str, source: str) -> None:
        write(self.folder / student / "engine.ipynb", notebook(source))

    def one(self, student: str) -> tuple[list[str], Path]:
        options = ["--autograder", "autograder.zip", "--output-dir", student, "--no-logo"]
        return [self.start, "run", *options, f"{student}/engine.ipynb"], self.folder

    def passed(self, student: str) -> int:
        results = json.loads((self.folder / student / "results.json").read_text(encoding="utf-8"))
        return int(sum(test.get("score", 0) for test in results["tests"]))


class Nbgrader(Tool):
    """`nbgrader autograde` of the notebooks that `nbgrader generate_assignment` has registered."""

    name, program, packages = "nbgrader", "nbgrader", ("nbgrader",)

    def prepare(self) -> None:
        write(self.folder / "source" / "engine" / "engine.ipynb", notebook("", *TESTS.items()))
        cost([self.start, "generate_assignment", "engine"], self.folder)

    def hand_in(self, student: str, source: str) -> None:
        write(
            self.folder / "submitted" / student / "engine" / "engine.ipynb", notebook(source, *TESTS.items())
        )

    def one(self, student: str) -> tuple[list[str], Path]:
        return [self.start, "autograde", "engine", "--force", "--student", student], self.folder

    def many(self) -> list[str]:
        return [self.start, "autograde", "engine", "--force", "--student", "student*"]

    def passed(self, student: str) -> int:
        query = (
            "SELECT sum(grade.auto_score) FROM grade JOIN submitted_notebook n ON grade.notebook_id = n.id "
            "JOIN submitted_assignment a ON n.assignment_id = a.id WHERE a.student_id = ?"
        )
        with sqlite3.connect(self.folder / "gradebook.db") as database:
            return int(database.execute(query, [student]).fetchone()[0])


class Check50(Tool):
    """`check50 --dev` with a check a test."""

    name, program, packages = "check50", "check50", ("check50",)

    def prepare(self) -> None:
        checks = ["import check50", "import check50.py"]
        for test, text in TESTS.items():
            body = f"Value = check50.py.import_('engine.py').Value\ntry:\n{textwrap.indent(text, '    ')}"
            body += "\nexcept AssertionError as error:\n    raise check50.Failure('not right') from error"
            checks.append(f"@check50.check()\ndef {test}():\n    '{test}'\n{textwrap.indent(body, '    ')}")
        write(self.folder / "checks" / "__init__.py", "\n\n\n".join(checks))
        write(self.folder / "checks" / ".cs50.yaml", "check50:\n  files:\n    - !require engine.py\n")

    def hand_in(self, student: str, source: str) -> None:
        write(self.folder / student / "engine.py", source)

    def one(self, student: str) -> tuple[list[str], Path]:
        return [
            self.start,
            "--dev",
            "--output",
            "json",
            "--output-file",
            "r.json",
            "../checks",
        ], self.folder / student

    def passed(self, student: str) -> int:
        results = json.loads((self.folder / student / "r.json").read_text(encoding="utf-8"))["results"]
        return sum(result["passed"] is True for result in results)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--environments", type=Path, help="where to make the environments, or find them")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        environments = (options.environments or Path(made) / "environments").resolve()
        tools = [
            tool
            for kind in (Grade, Otter, Nbgrader, Check50)
            if set_up(
                tool := kind(Path(made) / kind.name, environments / kind.name), environments / kind.name
            )
        ]
        rounds = [{tool.name: grade_pair(tool) for tool in tools} for _ in range(options.rounds)]
        print(f"{'seconds a submission':28}    CPU    wall   CPU / grade  wall / grade  passed")
        for tool in tools:
            pairs = [(one[tool.name], one[Grade.name]) for one in rounds]
            show(f"{tool.name} {tool.version()}", pairs, tool.result)
        classes = {tool.name: class_costs(tool, options.rounds) for tool in tools if tool.many()}
        for name, costs in classes.items():
            show(f"{name}, a class of {len(CLASS)}", list(zip(costs, classes[Grade.name], strict=True)), "")


def set_up(tool: Tool, environment: Path) -> bool:
    """Install a tool, write its tests and submissions, and grade two; say why if that fails."""
    try:
        if tool.packages and not environment.is_dir():
            venv.create(environment, with_pip=True)
            subprocess.run(
                [environment / "bin" / "pip", "install", "-q", *tool.packages],
                check=True,
                capture_output=True,
            )
        tool.prepare()
        sources = engines()
        for number, student in enumerate((*PAIR, *CLASS)):
            tool.hand_in(student, sources[PAIR[number % 2]])
        grade_pair(tool)
    except (SystemExit, OSError, subprocess.CalledProcessError) as error:
        print(f"{tool.name}: cannot be installed or run: {' '.join(str(error).split())[-300:]}")
        return False
    return True


def grade_pair(tool: Tool) -> Cost:
    """Return the mean cost of the right and the wrong engine; keep how many tests they passed."""
    costs, passed = [], []
    for student in PAIR:
        command, folder = tool.one(student)
        costs.append(cost(command, folder, (0, 1)))
        passed.append(f"{tool.passed(student)} ({student})")
    tool.result = ", ".join(passed)
    return Cost(*(sum(of) / len(costs) for of in zip(*costs, strict=True)))


def class_costs(tool: Tool, rounds: int) -> list[Cost]:
    """Return the cost of one submission of a class."""
    return [cost(tool.many(), tool.folder, (0, 1)) / len(CLASS) for _ in range(rounds)]


def show(name: str, pairs: list[tuple[Cost, Cost]], result: str) -> None:
    """Print medians, and the median of the ratios to `grade`."""
    cpu, wall = (statistics.median(one[i] for one, _ in pairs) for i in (0, 1))
    ratios = [statistics.median(one[i] / grade[i] for one, grade in pairs) for i in (0, 1)]
    print(f"{name:28} {cpu:6.2f}  {wall:6.2f} {ratios[0]:13.1f} {ratios[1]:13.1f}  {result}")


if __name__ == "__main__":
    main()
