"""`grade validate`: every rule about an assignment, causes first, and a real kernel last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.authoring.file_rules import cause_rules, check_rules, file_rules
from grader.authoring.generated import read_sealed_answers, tables_of
from grader.authoring.grading_rules import grading_rules, one_check_rules, unusable
from grader.authoring.reference import kernel_errors, make_notebook, read_reference
from grader.grading.grader import Grader, open_grader
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.assignment import Assignment


def validate(assignment: Assignment) -> list[str]:
    """Return the faults of an assignment as sentences, causes first; change nothing.

    Consequences of another problem are left out; a later run reports them once that problem is fixed.
    Raises Broken and Refused when the assignment cannot be read at all.
    """
    with Launcher() as launcher:
        problems, usable = without_kernel(assignment, launcher)
    return [*problems, *(_kernel_rules(assignment) if usable else ())]


def validate_check(assignment: Assignment, check: str) -> list[str]:
    """Return the faults of one check: as `validate`, without the rules about the whole assignment."""
    read_reference(assignment)
    causes, others = list(cause_rules(assignment)), list(check_rules(assignment, check))
    if causes:
        return [*causes, *others]
    answers = tables_of(read_sealed_answers(assignment, assignment.salt))
    with Launcher() as launcher, open_grader(assignment, launcher, answers=answers) as grader:
        return [*others, *(list(unusable(grader, check)) or one_check_rules(grader, check))]


def without_kernel(assignment: Assignment, launcher: Launcher) -> tuple[list[str], bool]:
    """Return the problems found without a kernel, and True if the reference can be graded."""
    read_reference(assignment)
    causes, others = list(cause_rules(assignment)), list(file_rules(assignment))
    if causes:
        return [*causes, *others], False
    answers = tables_of(read_sealed_answers(assignment, assignment.salt))
    with open_grader(assignment, launcher, answers=answers) as grader:
        return _with_grades(grader, others)


def _with_grades(grader: Grader, problems: list[str]) -> tuple[list[str], bool]:
    if reasons := list(unusable(grader)):
        return [*problems, *reasons], False
    return [*problems, *grading_rules(grader, sound=not problems)], True


# --- A real kernel


def _kernel_rules(assignment: Assignment) -> Iterator[str]:
    for solved, allowed in ((True, set[str]()), (False, {"NotImplementedError", "NameError"})):
        name = "reference" if solved else "stub"
        for number, error, text in kernel_errors(make_notebook(assignment, solved=solved)):
            if error not in allowed:
                yield f"{assignment.reference}: in a kernel, cell {number} of the {name} raises {error}: {text}; fix it"
