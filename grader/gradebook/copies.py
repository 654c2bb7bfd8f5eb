"""`grade copies`: the causes of failed checks that few students of a class share.

A cause is a finding of the class's report: a wrong rule, a walk, a known mistake, an answer, a wrong number. A student
whose work is right has none. Students with one repository are a team, which counts as one student.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from grader.console import say, show
from grader.errors import Refused, first_of
from grader.gradebook.code_folder import export_code
from grader.gradebook.findings import findings_of
from grader.gradebook.grade import grades_of
from grader.gradebook.settings import read_collected_folder
from grader.gradebook.store import Store
from grader.render import wrap
from grader.topic import make_topic

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from grader.assignment import Assignment
    from grader.gradebook.grade import Grade
    from grader.report import Report

FEW = 10  # of so many others with a wrong cause, one may share a cause that is listed
MOST_SHOWN = 50  # groups
MOST_NAMES = 8  # of a group
WIDTH = 100  # columns
CAUTION = (
    "An agreement proves nothing. Students who worked together as allowed agree, too, and so do those who had the same "
    "tutor, read the same page or learned together. Look at both sources, and ask before you judge."
)


class Shared(NamedTuple):
    """Students, or teams as `ada + bob`, with the causes that they all have and nobody else has, in words by key."""

    students: tuple[str, ...]
    causes: dict[tuple[str, ...], str]


class SharedCauses(NamedTuple):
    """The groups that share a cause, those with most causes first; `wrong` students or teams have a cause at all."""

    wrong: int
    groups: list[Shared]


def run_copies(
    assignment: Assignment, results: Path, source: Path | None, *, folder: Path | None, base: Sequence[Path]
) -> None:
    """List the causes that few share; with `folder` write the folder for other tools instead. Raises Refused."""
    if folder is not None:
        export_code(assignment, source or read_collected_folder(assignment), folder, base)
        return
    if base:
        raise Refused("--base names files for the exported folder; add --export DIR")
    with Store(results) as store:
        both = list(grades_of(assignment, store))
        if not both:
            raise store.no_results(assignment.name)
    show(render_copies(assignment, shared_causes(assignment, both)))
    if source is not None:
        say("note: SOURCE is read only for --export", err=True)


def shared_causes(assignment: Assignment, both: Iterable[tuple[Grade, Report]]) -> SharedCauses:
    """Return the groups of students who share a cause that at most one in FEW of the others has."""
    topic = make_topic(assignment.manifest.topic, {})
    words: dict[tuple[str, ...], str] = {}
    holders = defaultdict[tuple[str, ...], dict[str, list[str]]](dict)  # students by team
    wrong = set()
    for grade, report in both:
        team = grade.work.repository.casefold() or grade.student
        for check in report.checks:
            odd = [
                f"{fact.about} has {', '.join(fact.texts('odd'))}"
                for fact in check.facts
                if fact.texts("odd")
            ]
            for finding in findings_of(check, topic):
                key = (*finding.key, *odd)
                words.setdefault(key, ": ".join([finding.brief, *finding.code[:1], *odd]))
                members = holders[key].setdefault(team, [])
                members += [grade.student] if grade.student not in members else []
                wrong.add(team)
    groups = defaultdict[tuple[str, ...], dict[tuple[str, ...], str]](dict)
    for key, teams in holders.items():
        if 0 < (len(teams) - 1) * FEW <= len(wrong) - 1:
            groups[tuple(sorted(map(" + ".join, teams.values())))][key] = words[key]
    found = [Shared(students, causes) for students, causes in groups.items()]
    return SharedCauses(len(wrong), sorted(found, key=lambda one: (-len(one.causes), len(one.students), one)))


def render_copies(assignment: Assignment, found: SharedCauses) -> str:
    """Return the list as text."""
    parts = [f"{assignment.name}  {assignment.manifest.title}", _of_class(found)]
    for group in found.groups[:MOST_SHOWN]:
        lines = (wrap(cause, WIDTH, "  ") for cause in group.causes.values())
        parts.append("\n".join([first_of(group.students, MOST_NAMES), *lines]))
    if len(found.groups) > MOST_SHOWN:
        parts.append(f"{len(found.groups) - MOST_SHOWN} more groups share less.")
    return "\n\n".join([*parts, *([wrap(CAUTION, WIDTH)] if found.groups else [])]) + "\n"


def _of_class(found: SharedCauses) -> str:
    if found.wrong <= FEW:
        return f"{found.wrong} with something wrong: too few to say what is rare; {FEW + 1} are needed."
    few, wrong = 1 + (found.wrong - 1) // FEW, f"the {found.wrong} students with something wrong"
    if not found.groups:
        return f"No two of {wrong} share a cause that at most {few} have."
    return f"Causes that at most {few} of {wrong} share:"
