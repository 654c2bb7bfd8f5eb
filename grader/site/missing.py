"""A site leaves out each day whose reference earns less without a module that browsers do not have."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from msgspec.structs import replace

from grader.assignment import Assignment
from grader.grading.grader import grade
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Sequence


def missing_there(assignments: Sequence[Assignment]) -> dict[str, list[str]]:
    """Return, for each day that does not work in a browser, the modules that it needs and that are not there.

    The browser has the standard library. Raises SandboxUnavailable where the references cannot be graded.
    """
    asking = [a for a in assignments if _others(a) and a.reference.is_file()]
    if not asking:
        return {}
    with Launcher() as launcher:

        def points(assignment: Assignment) -> float:
            return grade(assignment, assignment.reference, launcher, report_unread=True).score or 0

        there = {a.name: 0 if a.manifest.arrays else points(_with_standard_library(a)) for a in asking}
        poorer = [a for a in asking if there[a.name] < a.manifest.judged_points]
        return {a.name: _others(a) for a in poorer if there[a.name] < points(a)}


def _others(assignment: Assignment) -> list[str]:
    return [name for name in assignment.manifest.imports if name not in sys.stdlib_module_names]


def _with_standard_library(assignment: Assignment) -> Assignment:
    """Return the assignment as it is where no other module is installed."""
    there = Assignment(assignment.course, assignment.name)
    others = _others(assignment)
    kept = tuple(name for name in assignment.manifest.imports if name not in others)
    vars(there)["manifest"] = replace(assignment.manifest, imports=kept)
    return there
