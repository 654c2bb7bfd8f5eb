"""The commands that grade a class and show its grades: parse, call, exit code; no logic.

Imports are late and few, for `grade day2` should answer in under half a second.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.console import (
    DAY,
    CheckName,
    DayName,
    Group,
    command,
    find_course,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.assignment import Assignment
    from grader.gradebook.store import Store

FILE = click.Path(path_type=Path)
RESULTS = click.option(
    "--results",
    "-r",
    type=FILE,
    default="results.db",
    show_default=True,
    metavar="FILE",
    help="The file of results.",
)


@command(
    examples=[
        ("grade batch day2 students", "a folder of folders or of files, one for each student"),
        ("grade batch day2 submissions.zip", "what Canvas, Moodle or Gradescope exports"),
        ("grade batch day2 students --student ada --regrade", "one student, also where nothing has changed"),
    ],
)
@DAY
@click.argument("source", type=FILE)
@click.option(
    "--output",
    "-o",
    type=FILE,
    default="results.db",
    show_default=True,
    metavar="FILE",
    help="The file of results.",
)
@click.option("--student", "students", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--regrade", is_flag=True, help="Grade also what has not changed.")
@click.option("--allow-weak-isolation", is_flag=True, help="Grade where no jail can be closed.")
def batch(
    assignment: Assignment,
    source: Path,
    output: Path,
    students: tuple[str, ...],
    *,
    regrade: bool,
    allow_weak_isolation: bool,
) -> None:
    """Grade a class into a file of results.

    SOURCE is a folder, a zip of a learning platform, or what `grade collect` fetched. Each result is kept at once;
    Ctrl-C loses nothing, and the same command grades only what is new or has changed.
    """
    from grader.gradebook.batch import run_batch

    sys.exit(
        run_batch(
            assignment,
            source,
            output,
            students=students,
            regrade=regrade,
            allow_weak_isolation=allow_weak_isolation,
        )
    )


@command(
    examples=[
        ("grade report day2", "the class in a terminal"),
        ("grade report day2 --format csv --output day2.csv", "a table for a spreadsheet"),
        ("grade report day2 --format canvas --roster canvas.csv --output up.csv", "to be imported"),
    ],
)
@DAY
@click.option(
    "--format",
    "format_",
    type=click.Choice(["terminal", "csv", "canvas", "moodle"]),
    default="terminal",
    show_default=True,
    help="For whom.",
)
@click.option("--roster", type=FILE, metavar="FILE", help="Who is in the class; the platform's own export.")
@click.option("--output", type=FILE, metavar="FILE", help="Write it there instead of printing it.")
@RESULTS
def report(
    assignment: Assignment, format_: str, roster: Path | None, output: Path | None, results: Path
) -> None:
    """Show the grades of a class, or write them for a gradebook.

    Points, lateness and what humans decided; in the terminal also what each check and each mistake cost the class.
    """
    from grader.gradebook.overview import run_report

    run_report(assignment, results, format_, roster, output)


@command(
    cls=Group,
    invoke_without_command=True,
    subcommand_metavar="[WORD [ARGS]...]",
    examples=[
        ('grade override points ada swap_rule 12 --why "right in another way"', "points for one check"),
        ('grade override void swap_rule --why "the check was wrong"', "its points for all who handed in"),
        ('grade override excuse ada --why "ill"', "the assignment does not count"),
        ('grade override forget bob --why "the wrong folder"', "who came in by mistake"),
        ('grade override undo points ada swap_rule --why "a mix-up"', "as the checks found it again"),
        ("grade override", "every override"),
    ],
)
@click.option("--day", metavar="DAY", type=DayName(), help="The assignment, where several are in the file.")
@RESULTS
@click.pass_context
def override(ctx: click.Context, *, day: str | None, results: Path) -> None:
    """Decide where the checks are not the last word.

    An override is kept with its author and its time, survives every regrade, and is shown to the student with the
    reason. Without a word it lists all overrides.
    """
    if ctx.invoked_subcommand is None:
        from grader.gradebook.overrides import say_all

        course = find_course()
        say_all(course, results, day)


def _override(example: str, what: str) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function one of the words of `grade override`, with the options that all of them have."""
    assert isinstance(override, Group)
    day = click.option(
        "--day", metavar="DAY", type=DayName(), help="The assignment, where several are in the file."
    )
    results = click.option("--results", "-r", type=FILE, metavar="FILE", help="The file of results.")
    name = example.partition(" ")[0]
    made = override.command(name, examples=[(f"grade override {example}", what)])
    return lambda function: made(day(results(click.pass_context(function))))


WHY = click.option("--why", metavar="TEXT", required=True, help="The reason, which the student reads.")


def _file_and_day(ctx: click.Context, results: Path | None, day: str | None) -> tuple[Path, str | None]:
    """The options, before the word or after it."""
    before = ctx.parent.params if ctx.parent else {}
    return results or before["results"], day or before["day"]


def _decide(
    ctx: click.Context,
    work: Callable[[Assignment, Store], str],
    results: Path | None,
    day: str | None,
    **about: Any,
) -> None:
    from grader.gradebook.overrides import decide

    course, (file, day) = find_course(), _file_and_day(ctx, results, day)
    decide(course, file, day, work, **about)


@_override('points ada swap_rule 12 --why "right in another way"', "of the check's points, 12")
@click.argument("student")
@click.argument("check", type=CheckName())
@click.argument("points")
@WHY
def points(ctx: click.Context, student: str, check: str, points: str, *, why: str, **options: Any) -> None:
    """Give a student points for a check."""
    from grader.gradebook.overrides import set_points

    _decide(ctx, lambda a, s: set_points(a, s, student, check, points, why), check=check, **options)


@_override('void swap_rule --why "the check was wrong"', "nobody loses by it")
@click.argument("check", type=CheckName())
@WHY
def void(ctx: click.Context, check: str, *, why: str, **options: Any) -> None:
    """Give the points of a check to everybody who handed in something."""
    from grader.gradebook.overrides import void as make_void

    _decide(ctx, lambda a, s: make_void(a, s, check, why), check=check, **options)


@_override('excuse ada --why "ill"', "she has no score")
@click.argument("student")
@WHY
def excuse(ctx: click.Context, student: str, *, why: str, **options: Any) -> None:
    """Let the assignment not count for a student."""
    from grader.gradebook.overrides import excuse as make_excused

    _decide(ctx, lambda a, s: make_excused(a, s, student, why), **options)


@_override('forget bob --why "the wrong folder"', "he is in no report")
@click.argument("student")
@WHY
def forget(ctx: click.Context, student: str, *, why: str, **options: Any) -> None:
    """Drop a student's result. Grading them again brings it back."""
    from grader.gradebook.overrides import forget as make_forgotten

    _decide(ctx, lambda a, s: make_forgotten(a, s, student, why), **options)


@_override('undo void swap_rule --why "it was right"', "points STUDENT CHECK, void CHECK or excuse STUDENT")
@click.argument("kind", type=click.Choice(["points", "void", "excuse"]))
@click.argument("names", nargs=-1, type=CheckName(), metavar="NAME...")
@WHY
def undo(ctx: click.Context, kind: str, names: tuple[str, ...], *, why: str, **options: Any) -> None:
    """Undo an override: the check's own result counts again."""
    from grader.gradebook.overrides import undo as make_undone

    check = names[-1] if names and kind != "excuse" else None
    _decide(ctx, lambda a, s: make_undone(a, s, kind, names, why), check=check, undo=True, **options)


@_override("export overrides.json", "all of them, or with --day those of one assignment")
@click.argument("file", type=FILE)
def export(ctx: click.Context, file: Path, *, day: str | None, results: Path | None) -> None:
    """Write all overrides into a file, for another file of results."""
    from grader.gradebook.overrides import export_overrides

    course, (database, day) = find_course(), _file_and_day(ctx, results, day)
    export_overrides(course, database, day, file)


@_override("import overrides.json", "twice is as once")
@click.argument("file", type=FILE)
def import_(ctx: click.Context, file: Path, *, day: str | None, results: Path | None) -> None:
    """Add the overrides of a file, with their authors and times.

    What is there already is not added again; where two differ, the newer one counts.
    """
    from grader.gradebook.overrides import import_overrides

    course, (database, _) = find_course(), _file_and_day(ctx, results, day)
    import_overrides(course, database, file)


@command(
    examples=[
        ("grade diff", "what was posted beside what counts now"),
        ("grade diff before.db results.db", "two files of results"),
    ],
)
@click.argument("old", required=False, type=FILE)
@click.argument("new", required=False, type=FILE)
@click.option("--day", metavar="DAY", type=DayName(), help="Only this assignment.")
def diff(old: Path | None, new: Path | None, day: str | None) -> None:
    """Show whose grade changes, on which check, by how much and why.

    With two files of results what counts in OLD and in NEW; with one, or none, what was posted from it and what
    counts in it now. Exits with 1 where somebody's grade changes.
    """
    from grader.gradebook.diff import compare

    course = find_course()
    sys.exit(compare(course, old or Path("results.db"), new, day))


@command(examples=[("grade backup before.db", "results.db as it is now")])
@click.argument("file", type=FILE)
@RESULTS
def backup(file: Path, *, results: Path) -> None:
    """Copy the file of results into a new file.

    Also while another run writes into it. The copy is a file of results itself: `grade diff FILE results.db`.
    """
    from grader.gradebook.store import backup_results

    backup_results(results, file)
