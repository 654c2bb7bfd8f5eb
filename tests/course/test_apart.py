"""Day 3 judges `backward` apart from `build_topo`: a wrong sort costs no more than the checks of sorts."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import COURSE, reference

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submissions.submission import submission_from

LIST = "    return order\n"
WALK = "in reversed(build_topo(root)):"
METHOD = "Value.backward = backward"
OF_SORTS = {"build_topo", "diamond", "shared_nodes", "pytorch_parity"}
OF_WALKS = {"reverse_order", "seed", "accumulates"}

SLIPS = {
    "root first": ([(LIST, "    return order[::-1]\n")], OF_SORTS),
    "root first, and not reversed": (
        [(LIST, "    return order[::-1]\n"), (WALK, "in build_topo(root):")],
        {"build_topo"},
    ),
    "no list": ([(LIST, "")], OF_SORTS | {"deep_chain"}),
    "a blank": ([(LIST, '    raise NotImplementedError("sort")\n')], OF_SORTS | {"deep_chain"}),
    "another name": ([("def build_topo", "def sort")], OF_SORTS | {"deep_chain"}),
    "a blank, and no method": (
        [(LIST, '    raise NotImplementedError("sort")\n'), (METHOD, "")],
        OF_SORTS | OF_WALKS | {"deep_chain"},
    ),
    "the sort itself reversed, and no method": (
        [(WALK, "in reversed(build_topo):"), (METHOD, "")],
        OF_WALKS | {"diamond", "shared_nodes", "pytorch_parity"},
    ),
    "not reversed": (
        [(WALK, "in build_topo(root):")],
        {"reverse_order", "diamond", "shared_nodes", "pytorch_parity"},
    ),
}


@pytest.fixture(scope="module")
def failing():
    """Return a function: changes of the reference -> the checks that do not pass."""
    with Launcher() as launcher, open_grader(Course(COURSE).assignment("day3"), launcher) as grader:

        def graded(changes: list[tuple[str, str]]) -> set[str]:
            source = reference("day3")
            for old, new in changes:
                assert source.count(old) == 1, old
                source = source.replace(old, new)
            report = grader.grade(submission_from(Path("mine.py"), source.encode()))
            return {check.id for check in report.checks if check.outcome is not Outcome.PASSED}

        yield graded


@pytest.mark.parametrize("name", SLIPS)
def test_what_a_slip_costs(failing, name: str) -> None:
    """A right walk earns its checks beside a wrong sort, but not a lone function in an empty notebook."""
    changes, lost = SLIPS[name]
    assert failing(changes) == lost
