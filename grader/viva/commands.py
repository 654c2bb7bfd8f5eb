"""The command `grade viva`. It parses and calls; classes.py does the work. Imports are late and few."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.console import DAY, Output, command, say
from grader.errors import Refused, nearest
from grader.files import PAGES
from grader.gradebook.commands import FILE, RESULTS

if TYPE_CHECKING:
    from grader.assignment import Assignment


@command(
    examples=[
        ("grade viva day2", "a sheet for each student in results.db, into ../day2-viva"),
        ("grade viva day2 ada bob", "for these two"),
        ("grade viva day2 --questions 4 --only edit --only line", "four questions, of these kinds"),
        ("grade viva day2 --practice", "for a student: questions about your notebook, with answers"),
    ]
)
@DAY
@click.argument("names", metavar="[STUDENT...]", nargs=-1)
@click.option(
    "--questions",
    type=click.IntRange(1, 20),
    default=6,
    show_default=True,
    metavar="N",
    help="Questions on a sheet.",
)
@click.option("--only", metavar="KIND", multiple=True, help="Only this kind of question; may be repeated.")
@click.option(
    "--practice", is_flag=True, help="Ask about your own notebook, or about a file given instead of STUDENT."
)
@click.option(
    "--source",
    type=FILE,
    metavar="SOURCE",
    help="The folder or zip that was graded.  [default: ../DAY-works]",
)
@RESULTS
@click.option(
    "--output",
    type=Output(PAGES, dir_okay=True),
    metavar="PATH",
    help="The folder for the sheets, or with --practice the page.",
)
@click.option(
    "--allow-weak-isolation", is_flag=True, help="Run work even if this machine cannot close the jail."
)
def viva(
    assignment: Assignment,
    names: tuple[str, ...],
    *,
    questions: int,
    only: tuple[str, ...],
    practice: bool,
    source: Path | None,
    results: Path,
    output: Path | None,
    allow_weak_isolation: bool,
) -> None:
    """Write an examination sheet for each student.

    A sheet has questions about the student's own code. Its last page is for the examiner and has the answers, which come
    from runs of the code. A second run makes only the sheets that have changed.
    """
    from grader.viva.classes import practise, run_viva
    from grader.viva.kinds import kinds_of

    known = [*kinds_of(assignment.manifest.topic)]
    for kind in only:
        if kind not in known:
            raise Refused(
                f"--only: `{kind}` is not a kind of question{nearest(kind, known)}; the kinds of {assignment.name} are {', '.join(known)}"
            )

    wanted: dict[str, Any] = {"count": questions, "only": tuple(sorted({*only}))}
    if practice:
        if len(names) > 1 or source:
            raise Refused("--practice takes at most one file, and no --source")
        path = Path(names[0]) if names else assignment.stub
        page, sheet = practise(assignment, path, output, **wanted, allow_weak_isolation=allow_weak_isolation)
        if sheet.why:
            say(sheet.why)
        say(str(page))
        return
    run_viva(
        assignment, names, **wanted, results=results, source=source, output=output, allow_weak_isolation=allow_weak_isolation
    )  # fmt: skip
