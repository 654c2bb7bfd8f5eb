"""`names:` in a manifest: an engine by others is read as it is, and told of in its own names."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import oneslip
import pytest
from array_engines import METHODS, RIGHT_ENGINES, engine
from helpers import check, grade, hand_in, passed, write_files
from renamed import in_code, left_in, readable, renamed_day

from grader.assignment import Course
from grader.grading.grader import grade as in_process
from grader.grading.grader import open_grader
from grader.submissions.submission import submission_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.report import Report
    from grader.sandbox import Launcher

HOMEWORK = {
    "class": "Node",
    "data": "val",
    "grad": "derivative",
    "children": "parents",
    "local_grads": "slopes",
    "closure": "_grad_fn",
    "backward": "backprop",
}
# Names that our own code in the jail has, too, and a class with a vowel.
ALIKE = {
    "class": "Array",
    "data": "value",
    "grad": "gradient",
    "children": "inputs",
    "local_grads": "kept",
    "closure": "rule",
    "backward": "run",
}
# Checks that need no answers and no record of PyTorch's numbers.
CHECKS = {
    "day3": ("build_topo", "reverse_order", "accumulates", "shared_nodes", "diamond"),
    "day4": ("add_multiply", "backward", "subtract", "divide", "power", "exp", "tanh", "relu", "sums"),
    "day5": ("add_multiply", "local_grads", "one_input", "power", "build_topo", "backward", "shared_nodes"),
}


# --- A day of the course, with another engine


def reports_of(assignment: Assignment, launcher: Launcher, sources: Sequence[str]) -> list[Report]:
    """What each source is told, with the steps of its tests."""
    with open_grader(assignment, launcher) as grader:
        works = [submission_from(assignment.folder / "mine.py", source.encode()) for source in sources]
        return [grader.grade(work, traces=True) for work in works]


def differences(launcher: Launcher, root: Path, day: str, names: Mapping[str, str], every: int) -> list[str]:
    """The slips of a day of which an engine with other names is told otherwise, or in the course's names."""
    slips = [slip for slip in oneslip.slips(day) if not slip.name.startswith("blank")][::every]
    told = []
    for these in ({}, names):
        assignment = renamed_day(root / f"{len(these)}", day, these, CHECKS[day])
        told.append(reports_of(assignment, launcher, [in_code(slip.source, these) for slip in slips]))
    return [
        slip.name
        for slip, usual, own in zip(slips, *told, strict=True)
        if readable(usual, names) != readable(own, names) or (day == "day4" and left_in(own))
    ]


@pytest.mark.parametrize("day", CHECKS)
@pytest.mark.parametrize("names", [HOMEWORK, ALIKE], ids=["homework", "alike"])
@pytest.mark.parametrize("every", [9, pytest.param(1, marks=pytest.mark.slow)])
def test_a_slip_is_told_as_in_the_course(
    launcher: Launcher, tmp_path: Path, day: str, names: Mapping[str, str], every: int
) -> None:
    """Points, readings, rules, walks and steps are the same, with the engine's names in the place of the course's."""
    assert differences(launcher, tmp_path, day, names, every) == []
