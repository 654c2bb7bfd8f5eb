"""Test impact: an edit of a function that a check does not run costs no run, and changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from helpers import COURSE
from minicourse import change
from validating import SEEN_DOUBLE, SOURCE, launcher

from grader.assignment import Course
from grader.authoring.impact import functions_edited
from grader.authoring.mistakes import ways_of
from grader.authoring.reference import reference_blocks
from grader.authoring.results import CodeCase, judge
from grader.authoring.runner import open_runner
from grader.submissions.submission import Block

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.usefixtures("kept")

BEFORE = """
import math

def outer(x, by=2):
    "Doc."
    def inner(y):
        return y * by
    return inner(x)

class Box:
    def grow(self):
        return math.sqrt(4)
"""


def edited(old: str, new: str) -> set[str] | None:
    """The functions that this edit of BEFORE changes, in the order of ast.walk: outer, inner, Box.grow."""
    assert BEFORE.count(old) == 1
    sources = ("answer = 42", BEFORE), ("answer = 42", BEFORE.replace(old, new))
    return functions_edited(
        *([Block("f", n, 1, source) for n, source in enumerate(each)] for each in sources)
    )


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("y * by", "y + by", {"1.1"}),
        ("return inner(x)", "return inner(x) + 1", {"1.0"}),
        ("def inner(y)", "def inner(y, z=1)", {"1.0"}),
        ("math.sqrt(4)", "2", {"1.2"}),
        ("math.sqrt(4)", "math.sqrt(4)  # the same", set()),
        ("by=2", "by=3", None),
        ("import math", "import cmath as math", None),
        ("    def grow", "    size = 1\n    def grow", None),
        ("return inner(x)", "return (lambda: inner(x))()", {"1.0"}),
        ("return y * by", "def again(): return y * by\n        return again()", None),
        ("import math", "import math\n%matplotlib inline", None),
    ],
)
def test_what_an_edit_changes(old: str, new: str, names: set[str] | None) -> None:
    """The body of a function is its own; arguments, decorators and all else belong to what is around it."""
    assert edited(old, new) == names


def taken_over(course: Path, day: str) -> int:
    """Count the results that need no run; each is that of a run."""
    assignment = Course(course).assignment(day)
    with open_runner(assignment, launcher()) as runner:
        runner.prepare([CodeCase(reference_blocks(assignment))])
        count = 0
        for way in ways_of(assignment):
            case = CodeCase(way.blocks, spares_hidden=True)
            runner._take_unchanged(case)
            taken = runner._results_of(case)
            again = judge(runner.grader, case._replace(only=taken.keys()))
            for check, entry in taken.items():
                assert entry.rows == again[check].rows, (way.mistake.name, way.number, check)
            count += len(taken)
    return count


def test_results_that_need_no_run_are_those_of_a_run(mini: Path) -> None:
    """A mistake in a function that one check of two runs."""
    assert taken_over(mini, "mini") > 0


@pytest.mark.ci
@pytest.mark.parametrize(("day", "least"), [("day2", 50), pytest.param("day3", 1, marks=pytest.mark.whole)])
def test_so_are_those_of_a_day(day: str, least: int) -> None:
    """Closures, methods and functions of a real day."""
    assert taken_over(COURSE, day) > least


def test_what_a_check_prints_is_not_shown(mini: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the results are kept it would not be printed either."""
    change(mini, SEEN_DOUBLE, "def test", "print('loud')\n\n\ndef test")
    with open_runner(Course(mini).assignment("mini"), launcher()) as runner:
        assert runner.functions_run
    assert capsys.readouterr() == ("", "")


def test_a_function_that_only_the_cells_call_is_run_by_every_check(mini: Path) -> None:
    """It has run when the submission is loaded."""
    change(mini, SOURCE, "print(box.number)", "print(box.number)\n\n\ndef once():\n    return 1\n\n\nonce()")
    assignment = Course(mini).assignment("mini")
    with open_runner(assignment, launcher()) as runner:
        runs = runner.functions_run
    assert runs
    assert len(set.intersection(*map(set, runs.values()))) == 1
