"""The commands that show and change the grades of a class. They parse and call; other modules do the work.

Imports are late and few, so that `grade day2` answers in under half a second.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.console import (
    DAY,
    Day,
    Group,
    Output,
    command,
    find_course,
)
from grader.errors import Refused
from grader.files import PAGES, TABLES, refuse_to_replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.assignment import Assignment
    from grader.gradebook.in_force import Kind

FILE = click.Path(path_type=Path)
RESULTS = click.option(
    "--results",
    "-r",
    type=FILE,
    default="results.db",
    show_default=True,
    metavar="FILE",
    help="The results file.",
)


@command(
    examples=[
        ("grade report day2", "the class in a terminal"),
        ("grade report day2 --format csv --output day2.csv", "a table for a spreadsheet"),
        (
            "grade report day2 --format canvas --roster canvas.csv --output up.csv",
            "a file for Canvas to import",
        ),
        ("grade report day2 --html day2.html", "a page: what the class gets wrong, and who"),
        ("grade report --all", "every day, with each student's total"),
    ],
)
@click.argument("assignment", metavar="[DAY]", type=Day(), required=False)
@click.option("--all", "all_days", is_flag=True, help="Show all days, with totals.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["terminal", "csv", "canvas", "moodle", "gradescope"]),
    default="terminal",
    show_default=True,
    help="The form of the table.",
)
@click.option(
    "--roster",
    type=FILE,
    metavar="FILE",
    help="The platform's export of the class, or another roster than the class's.",
)
@click.option(
    "--output", type=Output(TABLES), metavar="FILE", help="Write the table to FILE instead of printing it."
)
@click.option(
    "--html",
    "page",
    type=Output(PAGES),
    metavar="FILE",
    help="Write a page of the class to FILE, and a page for each student into a folder next to it.",
)
@RESULTS
def report(
    assignment: Assignment | None,
    format_: str,
    roster: Path | None,
    output: Path | None,
    results: Path,
    *,
    page: Path | None,
    all_days: bool,
) -> None:
    """Show the grades of a class, or write them for a gradebook.

    The table has points, lateness and overrides. The terminal also shows how many students pass each check,
    and the commonest mistakes. With --all it has the points of every day and a total in percent, by the weights in
    solutions/course.yaml.
    """
    if all_days == (assignment is not None):
        raise Refused("grade report: name one day, or write --all for every day")
    if page is not None and (all_days or format_ != "terminal" or output is not None):
        raise Refused("--html cannot be combined with --all, --format or --output; run two commands")
    if roster is None and format_ not in {"canvas", "moodle"}:  # a platform needs its own export
        from grader.gradebook.grade import roster_of

        roster = roster_of(assignment.course if assignment else find_course())
        if output is not None and roster is not None:
            refuse_to_replace(output, "--output", [roster], TABLES)
    if assignment is None:
        from grader.gradebook.totals import run_totals

        run_totals(find_course(), results, format_, roster, output)
        return
    if page is not None:
        from grader.gradebook.classpage import write_class_page

        write_class_page(assignment, results, page, roster)
    else:
        from grader.gradebook.overview import run_report

        run_report(assignment, results, format_, roster, output)


@command(
    examples=[
        ("grade copies day2", "who shares a rare mistake"),
        (
            "grade copies day2 students --export day2-code --base lecture.ipynb",
            "a folder for JPlag, Dolos, compare50",
        ),
    ],
)
@DAY
@click.argument("source", type=FILE, required=False)
@click.option(
    "--export",
    "folder",
    type=FILE,
    metavar="DIR",
    help="Write a folder for JPlag, Dolos and compare50 instead.",
)
@click.option(
    "--base",
    type=FILE,
    multiple=True,
    metavar="FILE",
    help="A notebook or .py file of the lecture, whose code the tools ignore; may be repeated.",
)
@RESULTS
def copies(
    assignment: Assignment,
    source: Path | None,
    *,
    folder: Path | None,
    base: tuple[Path, ...],
    results: Path,
) -> None:
    """List students who share a rare mistake.

    A mistake is a wrong rule, walk, answer or number, or one that the author foresaw. It is rare if at most one in ten
    of the other students who made mistakes have it. An agreement proves nothing: compare both sources yourself.
    SOURCE is the folder or zip that was graded, by default ../DAY-works. Only --export reads it, and executes nothing.
    """
    from grader.gradebook.copies import run_copies

    run_copies(assignment, results, source, folder=folder, base=base)


@command(
    cls=Group,
    invoke_without_command=True,
    subcommand_metavar="[COMMAND [ARGS]...]",
    examples=[
        ('grade override points ada swap_rule 12 --why "right in another way"', "points for one check"),
        (
            'grade override void swap_rule --why "the check was wrong"',
            "everybody who handed in work gets its points",
        ),
        ('grade override comment ada swap_rule "a good start"', "a comment that the student reads"),
        ("grade override table points.csv", "overrides of a whole class"),
        ('grade override excuse ada --why "ill"', "the assignment does not count"),
        ('grade override void --forget bob --why "the wrong folder"', "drop a result"),
        ('grade override undo points ada swap_rule --why "a mix-up"', "the result of the check counts again"),
        ("grade override", "every override"),
    ],
)
@click.option("--day", metavar="DAY", help="The assignment, if the file holds several.")
@RESULTS
@click.pass_context
def override(ctx: click.Context, *, day: str | None, results: Path) -> None:
    """Change grades by hand.

    An override is saved with its author and time, and survives every regrade. The student reads its reason. Without a
    command, lists all overrides.
    """
    if ctx.invoked_subcommand is None:
        from grader.gradebook.overrides import say_all

        say_all(find_course(), results, day)


def _override(example: str, what: str) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function a subcommand of `grade override`, with the options that all of them have."""
    assert isinstance(override, Group)
    day = click.option("--day", metavar="DAY", help="The assignment, if the file holds several.")
    results = click.option("--results", "-r", type=FILE, metavar="FILE", help="The results file.")
    name = example.partition(" ")[0]
    made = override.command(name, examples=[(f"grade override {example}", what)])
    return lambda function: made(day(results(click.pass_context(function))))


WHY = click.option("--why", metavar="TEXT", required=True, help="The reason; the student reads it.")


def _file_and_day(ctx: click.Context, results: Path | None, day: str | None) -> tuple[Path, str | None]:
    """Return the two options, which a user writes before the subcommand or after it."""
    before = ctx.parent.params if ctx.parent else {}
    return results or before["results"], day or before["day"]


def _make_override(
    ctx: click.Context,
    kind: Kind,
    names: Sequence[str],
    text: str,
    *,
    results: Path | None,
    day: str | None,
    points: str = "",
) -> None:
    from grader.gradebook.overrides import make_override

    file, day = _file_and_day(ctx, results, day)
    make_override(find_course(), file, day, kind, names, text=text, points=points)


@_override('points ada swap_rule 12 --why "right in another way"', "12 of the check's points")
@click.argument("student")
@click.argument("check")
@click.argument("points")
@WHY
def points(ctx: click.Context, student: str, check: str, points: str, *, why: str, **options: Any) -> None:
    """Give a student points for a check."""
    _make_override(ctx, "points", [student, check], why, points=points, **options)


@_override('comment ada essay "a clear argument"', "the student reads it with the grade")
@click.argument("student")
@click.argument("check")
@click.argument("text")
def comment(ctx: click.Context, student: str, check: str, text: str, **options: Any) -> None:
    """Comment on a student's check.

    A new comment replaces the previous one. The points do not change.
    """
    _make_override(ctx, "comment", [student, check], text, **options)


@_override('void swap_rule --why "the check was wrong"', "everybody who handed in work gets its points")
@click.argument("check", required=False)
@click.option("--forget", metavar="STUDENT", help="Drop the result of STUDENT instead.")
@WHY
def void(ctx: click.Context, check: str | None, *, forget: str | None, why: str, **options: Any) -> None:
    """Give everybody who handed in work the points of a check.

    With --forget, drops a student's result instead. It stays dropped when the work is graded again.
    """
    if (check is None) == (forget is None):
        raise Refused("grade override void: name a check, or a student with --forget STUDENT")
    _make_override(ctx, "void" if forget is None else "forget", [forget or check or ""], why, **options)


@_override('excuse ada --why "ill"', "the assignment does not count for her")
@click.argument("student")
@WHY
def excuse(ctx: click.Context, student: str, *, why: str, **options: Any) -> None:
    """Excuse a student from the assignment."""
    _make_override(ctx, "excuse", [student], why, **options)


@_override('undo void swap_rule --why "it was right"', "the result of the check counts again")
@click.argument("kind", type=click.Choice(["points", "comment", "void", "excuse", "forget", "request"]))
@click.argument("names", nargs=-1, metavar="NAME...")
@WHY
def undo(
    ctx: click.Context,
    kind: Kind,
    names: tuple[str, ...],
    *,
    why: str,
    day: str | None,
    results: Path | None,
) -> None:
    """Undo an override, so that the results of the checks count again.

    NAME... is STUDENT CHECK for points, comment and request, CHECK for void, and STUDENT for excuse and forget.
    """
    from grader.gradebook.overrides import undo_override

    file, day = _file_and_day(ctx, results, day)
    undo_override(find_course(), file, day, kind, names, why=why)


@_override("table points.csv", "a second time changes nothing")
@click.argument("file", type=FILE)
@click.option("--template", is_flag=True, help="Write FILE, with a line for each student and manual check.")
@click.option("--export", is_flag=True, help="Write all overrides into FILE.")
def table(
    ctx: click.Context, file: Path, *, template: bool, export: bool, day: str | None, results: Path | None
) -> None:
    """Read overrides from a CSV, or write them.

    A line of FILE gives a student points for a check, or a comment. With the columns kind, who and when, a line is an
    override of any kind, with its author and time. An empty cell changes nothing. If one line is wrong, nothing changes.
    """
    from grader.gradebook.table import read_table, write_all, write_template

    if template and export:
        raise Refused("--template and --export: each writes FILE; remove one")
    course, (database, day) = find_course(), _file_and_day(ctx, results, day)
    (write_template if template else write_all if export else read_table)(course, database, day, file)


@command(examples=[("grade diff", "what was posted, and what counts now")])
@click.option("--day", metavar="DAY", help="Only this assignment.")
@RESULTS
def diff(day: str | None, results: Path) -> None:
    """Show whose grade changes, on which check, by how much and why.

    Compares the posted grades with those that count now. Exits with 1 if a grade changes.
    """
    from grader.gradebook.diff import compare

    sys.exit(compare(find_course(), results, day))
