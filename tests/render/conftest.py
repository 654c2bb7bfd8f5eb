"""Real reports of day 2, graded once for all tests of rendering."""

from __future__ import annotations

import copy
from collections.abc import Callable

import msgspec
import pytest
from helpers import COURSE

from grader.assignment import Course
from grader.authoring.reference import reference_blocks
from grader.grading.grader import open_grader
from grader.report import Report
from grader.sandbox import Launcher
from grader.submissions.intake import accept

SUBMISSIONS = {
    "stub": "assignments/day2/day2_backward_pass.ipynb",
    "reference": "solutions/day2/day2_backward_pass.py",
    "broken": "tests/engines/broken.py",
}
TWO = {  # two mistakes, in different operations
    "            self.grad += out.grad\n            other.grad += out.grad\n": "            self.grad = out.grad\n            other.grad = out.grad\n",
    "other.grad += self.data * out.grad": "other.grad += other.data * out.grad",
}
# d is called before it has a gradient; the report has a chart.
WRONG_ORDER = 'product_order = ["d", "L"]'


def two_mistakes(source: str) -> str:
    """A cell of the reference with both mistakes in it."""
    for right, wrong in TWO.items():
        source = source.replace(right, wrong)
    return source


@pytest.fixture(scope="session")
def graded_once(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Report]:
    """Reports on the stub, the reference, a broken engine, two mistakes, and one check with a chart."""
    folder = tmp_path_factory.mktemp("mine")
    assignment = Course.find(COURSE).assignment("day2")
    right = [block.source for block in reference_blocks(assignment)]
    files = {name: COURSE / path for name, path in SUBMISSIONS.items()}
    for name, sources in {"two": map(two_mistakes, right), "chart": [*right, WRONG_ORDER]}.items():
        files[name] = folder / name / "mine.py"
        files[name].parent.mkdir()
        files[name].write_text("\n\n# %%\n".join(["", *sources]), encoding="utf-8")
    with Launcher() as launcher, open_grader(assignment, launcher) as grader:
        found = {
            name: grader.grade(
                accept(assignment, path, launcher, allow_weak_isolation=True),
                "manual_walk" if name == "chart" else None,
            )
            for name, path in files.items()
        }
    for name in ("two", "chart"):
        found[name].submission = msgspec.structs.replace(found[name].submission, path="mine.py", argument="")
    return found


@pytest.fixture(scope="module")
def graded(graded_once: dict[str, Report]) -> dict[str, Report]:
    """Copies that a module may change."""
    return copy.deepcopy(graded_once)


@pytest.fixture(scope="session")
def changed() -> Callable[..., Report]:
    """A function that copies a report with other fields."""

    def changed(report: Report, **fields: object) -> Report:
        return msgspec.structs.replace(copy.deepcopy(report), **fields)

    return changed
