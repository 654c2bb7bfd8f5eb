"""`grade release` step by step: look, ask, write, push, say."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from grader import __version__
from grader.classroom.push import AS_TEMPLATE, address, by_hand, check_remote
from grader.classroom.push import push as push_template
from grader.classroom.release import RECORD, ReleaseError, plan_release, refuse_misplaced, refuse_outdated
from grader.classroom.requirement import read_requirement
from grader.console import say
from grader.render import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.assignment import Course


def release_template(
    course: Course,
    days: Sequence[str],
    folder: Path,
    *,
    requirement: str | None = None,
    reporter: bool = False,
    no_workflow: bool = False,
    yes: bool = False,
    push: str | None = None,
) -> None:
    """Write the template, and push it to the address `push`. Raises Refused, Broken."""
    if reporter and no_workflow:
        raise ReleaseError(
            "--reporter: it is a step of the workflow, which --no-workflow leaves out; take one out"
        )
    plan, notes = plan_release(
        course, days, folder, requirement=requirement, reporter=reporter, no_workflow=no_workflow
    )
    push = None if push is None else address(push)
    if push is not None:
        say(one_line(check_remote(plan.folder, push)))
    _agree(plan.asks, yes=yes)
    notes += _looked_at(course, plan.days)
    plan.write()
    say(plan.told, nl=False)
    for note in notes:
        say(one_line(f"note: {note}"))
    if push is None:
        say(by_hand(plan.folder), nl=False)
        return
    push_template(
        plan.folder,
        push,
        names=[*plan.files, RECORD],
        removed=plan.removed,
        message=f"{', '.join(plan.days)}, with Backgrade {__version__}",
        say=lambda line: say(one_line(line)),
    )
    say(AS_TEMPLATE, nl=False)


def release_bundle(
    course: Course,
    days: Sequence[str],
    folder: Path,
    *,
    requirement: str | None = None,
    reporter: bool = False,
    no_workflow: bool = False,
    yes: bool = False,  # noqa: ARG001  the bundle writes into a folder of its own only
    push: str | None = None,
) -> None:
    """Write Classroom 50's bundle of one assignment. Raises Refused, Broken."""
    from grader.classroom.bundle import write_bundle

    if len(days) != 1:
        raise ReleaseError(
            "--classroom50: a bundle is for one assignment; try `grade release day2 DIR --classroom50`"
        )
    refuse_misplaced(course, days, folder)
    options = {"--reporter": reporter, "--no-workflow": no_workflow, "--push": push is not None}
    if given := next((name for name, on in options.items() if on), None):
        raise ReleaseError(f"{given}: a bundle of Classroom 50 knows nothing of it; take it out")
    looked_at = _looked_at(course, days)
    written, notes = write_bundle(course, days[0], folder, read_requirement(requirement))
    for path in written:
        say(one_line(f"written  {path}"))
    for note in [*notes, *looked_at]:
        say(one_line(f"note: {note}"))


def _looked_at(course: Course, days: Sequence[str]) -> list[str]:
    """Refuse a notebook that is out of date; gives what could not be looked at."""
    return list(filter(None, (refuse_outdated(course.assignment(day)) for day in days)))


def _agree(question: str, *, yes: bool) -> None:
    """Show what is concerned and ask. Raises ReleaseError where nobody agrees."""
    if not question:
        return
    say(question, err=True)
    if yes:
        return
    if not sys.stdin.isatty():
        raise ReleaseError(
            "nothing was written: nobody is there to be asked; add --yes to go on, or name a new folder"
        )
    if not click.confirm("Go on?", err=True):
        raise ReleaseError("nothing was written")
