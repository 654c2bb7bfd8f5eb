"""The commands for a class: parse, call, exit code; no logic.

Imports are late and few, for `grade day2` should answer in under half a second.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.console import (
    CLASSES,
    CheckName,
    DayName,
    Group,
    Refusal,
    assignments_of,
    find_course,
    guarded,
    kept_commands,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.assignment import Assignment
    from grader.gradebook.store import Store

COMMANDS, _command = kept_commands(CLASSES)
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
NAMES = click.option(
    "--name",
    "pattern",
    default="{day}-{github}",
    show_default=True,
    metavar="PATTERN",
    help="The name of each student's repository; {student} is known too.",
)
INSTRUCTORS = click.option(
    "--instructor",
    "instructors",
    multiple=True,
    metavar="LOGIN",
    help="Pushes of this person are not a student's work; may be repeated. Or a column `role` in the roster.",
)


@_command(
    examples=[
        ("grade batch day2 students", "a folder of folders or of files, one for each student"),
        ("grade batch day2 submissions.zip", "what Canvas, Moodle or Gradescope exports"),
        ("grade batch day2 students --student ada --regrade", "one student, also where nothing has changed"),
    ],
)
@click.argument("name", metavar="DAY", type=DayName())
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
    name: str,
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

    assignment = assignments_of(find_course(), name)[0]
    sys.exit(
        guarded(
            lambda: run_batch(
                assignment,
                source,
                output,
                students=students,
                regrade=regrade,
                allow_weak_isolation=allow_weak_isolation,
            )
        )
    )


@_command(
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
    from grader.gradebook.compare import compare

    course = find_course()
    sys.exit(guarded(lambda: compare(course, old or Path("results.db"), new, day)))


@_command(
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
        from grader.gradebook.decide import say_all

        course = find_course()
        guarded(lambda: say_all(course, results, day))


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
    from grader.gradebook.decide import decide

    course, (file, day) = find_course(), _file_and_day(ctx, results, day)
    guarded(lambda: decide(course, file, day, work, **about))


@_override('points ada swap_rule 12 --why "right in another way"', "of the check's points, 12")
@click.argument("student")
@click.argument("check", type=CheckName())
@click.argument("points")
@WHY
def points(ctx: click.Context, student: str, check: str, points: str, *, why: str, **options: Any) -> None:
    """Give a student points for a check."""
    from grader.gradebook.decide import set_points

    _decide(ctx, lambda a, s: set_points(a, s, student, check, points, why), check=check, **options)


@_override('void swap_rule --why "the check was wrong"', "nobody loses by it")
@click.argument("check", type=CheckName())
@WHY
def void(ctx: click.Context, check: str, *, why: str, **options: Any) -> None:
    """Give the points of a check to everybody who handed in something."""
    from grader.gradebook.decide import void as make_void

    _decide(ctx, lambda a, s: make_void(a, s, check, why), check=check, **options)


@_override('excuse ada --why "ill"', "she has no score")
@click.argument("student")
@WHY
def excuse(ctx: click.Context, student: str, *, why: str, **options: Any) -> None:
    """Let the assignment not count for a student."""
    from grader.gradebook.decide import excuse as make_excused

    _decide(ctx, lambda a, s: make_excused(a, s, student, why), **options)


@_override('forget bob --why "the wrong folder"', "he is in no report")
@click.argument("student")
@WHY
def forget(ctx: click.Context, student: str, *, why: str, **options: Any) -> None:
    """Drop a student's result. Grading them again brings it back."""
    from grader.gradebook.decide import forget as make_forgotten

    _decide(ctx, lambda a, s: make_forgotten(a, s, student, why), **options)


@_override('undo void swap_rule --why "it was right"', "points STUDENT CHECK, void CHECK or excuse STUDENT")
@click.argument("kind", type=click.Choice(["points", "void", "excuse"]))
@click.argument("names", nargs=-1, type=CheckName(), metavar="NAME...")
@WHY
def undo(ctx: click.Context, kind: str, names: tuple[str, ...], *, why: str, **options: Any) -> None:
    """Undo an override: the check's own result counts again."""
    from grader.gradebook.decide import undo as make_undone

    check = names[-1] if names and kind != "excuse" else None
    _decide(ctx, lambda a, s: make_undone(a, s, kind, names, why), check=check, undo=True, **options)


@_override("export overrides.json", "all of them, or with --day those of one assignment")
@click.argument("file", type=FILE)
def export(ctx: click.Context, file: Path, *, day: str | None, results: Path | None) -> None:
    """Write all overrides into a file, for another file of results."""
    from grader.gradebook.transfer import export_overrides

    course, (database, day) = find_course(), _file_and_day(ctx, results, day)
    guarded(lambda: export_overrides(course, database, day, file))


@_override("import overrides.json", "twice is as once")
@click.argument("file", type=FILE)
def import_(ctx: click.Context, file: Path, *, day: str | None, results: Path | None) -> None:
    """Add the overrides of a file, with their authors and times.

    What is there already is not added again; where two differ, the newer one counts.
    """
    from grader.gradebook.transfer import import_overrides

    course, (database, _) = find_course(), _file_and_day(ctx, results, day)
    guarded(lambda: import_overrides(course, database, file))


@_command(examples=[("grade backup before.db", "results.db as it is now")])
@click.argument("file", type=FILE)
@RESULTS
def backup(file: Path, *, results: Path) -> None:
    """Copy the file of results into a new file.

    Also while another run writes into it. The copy is a file of results itself: `grade diff FILE results.db`.
    """
    from grader.gradebook.transfer import backup_results

    guarded(lambda: backup_results(results, file))


@_command(
    examples=[
        ("grade report day2", "the class in a terminal"),
        ("grade report day2 --format csv --output day2.csv", "a table for a spreadsheet"),
        ("grade report day2 --format canvas --roster canvas.csv --output up.csv", "to be imported"),
    ],
)
@click.argument("name", metavar="DAY", type=DayName())
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
def report(name: str, format_: str, roster: Path | None, output: Path | None, results: Path) -> None:
    """Show the grades of a class, or write them for a gradebook.

    Points, lateness and what humans decided; in the terminal also what each check and each mistake cost the class.
    """
    from grader.gradebook.overview import run_report

    course = find_course()
    assignment = assignments_of(course, name)[0]
    guarded(lambda: run_report(assignment, results, format_, roster, output))


@_command(
    examples=[
        ("grade distribute day2 class.csv --org course --template course/day2 --dry-run", "the plan alone"),
        ("grade distribute day2 class.csv --org course --template course/day2", "the same, asked and done"),
    ],
)
@click.argument("name", metavar="DAY", type=DayName())
@click.argument("roster", type=FILE)
@click.option("--org", required=True, metavar="NAME", help="The organisation that gets the repositories.")
@click.option("--template", required=True, metavar="OWNER/NAME", help="What `grade release --push` made.")
@NAMES
@click.option("--public", is_flag=True, help="Let everybody see the repositories.")
@click.option("--student", "students", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def distribute(name: str, roster: Path, *, org: str, dry_run: bool, yes: bool, **options: Any) -> None:
    """Make a repository on GitHub for each student of a roster.

    From a released template, and invites the student. Where they are there already, what the template has changed
    since is offered as a pull request. Killed or interrupted, the same command goes on. GITHUB_TOKEN is the token.
    """
    from grader.classroom.distribute import Order, run_distribute

    assignment = assignments_of(find_course(), name)[0]
    order = Order(assignment.name, roster, org, **options)
    sys.exit(guarded(lambda: run_distribute(order, dry_run=dry_run, yes=yes, environment=os.environ)))


@_command(
    examples=[
        ("grade post day2 --dry-run", "who would be told what"),
        ("grade post day2 --dry-run --student ada", "and the whole text, for one"),
        ("grade post day2", "tell everybody for whom something is new"),
        ("grade post day2 --final", "the same, as final grades, where no last day is known"),
    ],
)
@click.argument("name", metavar="DAY", type=DayName())
@click.option("--student", "students", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option(
    "--final/--provisional",
    default=None,
    help="Declare the grades final, where no last day is known; or not.",
)
@click.option("--take-over", is_flag=True, help="Replace grades that another file of results posted.")
@click.option("--dry-run", is_flag=True, help="Show what would be posted, and post nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@RESULTS
def post(name: str, students: tuple[str, ...], results: Path, **options: Any) -> None:
    """Tell each student their grade on GitHub.

    In a comment on the pull request into `feedback`, or in an issue; once, and edited when the grade changes. Whoever
    has nothing new is left alone. Killed or interrupted, the same command goes on. GITHUB_TOKEN is the token.
    While late work still counts, the grade is told as provisional.
    """
    from grader.classroom.post import run_post

    assignment = assignments_of(find_course(), name)[0]
    sys.exit(guarded(lambda: run_post(assignment, results, students, environment=os.environ, **options)))


@_command(
    examples=[
        (
            "grade collect day2 roster.csv students --org course",
            "course/day2-ada and so on, as they were when due",
        ),
        ("grade collect day2 roster.csv students", "where the roster has a column `repository`"),
        ("grade collect day2 roster.csv students --org course --latest", "as they are now"),
        ("grade collect day2 roster.csv students --org course --student ada", "one student"),
    ],
)
@click.argument("name", metavar="DAY", type=DayName())
@click.argument("roster", type=FILE)
@click.argument("folder", metavar="DIR", type=FILE)
@click.option("--org", metavar="ORG", help="The organisation on GitHub where the repositories are.")
@NAMES
@click.option("--before", metavar="TIME", help="What was pushed until then, such as 2026-12-01T23:59:00Z.")
@click.option("--latest", is_flag=True, help="What is there now, whatever the due date is.")
@INSTRUCTORS
@click.option(
    "--template", metavar="FOLDER|ADDRESS", help="The template that students got, to look for drift."
)
@click.option("--student", "students", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--jobs", type=click.IntRange(1, 32), default=4, show_default=True, help="How many at once.")
def collect(name: str, roster: Path, folder: Path, **options: Any) -> None:
    """Fetch each student's work at one commit.

    From GitHub that of the last push that counts by the due date, extensions and the late rule, by GitHub's own
    clock; from other remotes the branch's, by the commits' own dates. Late work is fetched beside the last work in
    time. A push that leaves the work as it was is never late, and one of an instructor or a bot is not taken.
    GITHUB_TOKEN is the token. Nothing is checked out, and the same command goes on where one stopped.

    Also tells which protected files students changed. Exits with 1 where somebody's work is not there.
    """
    from grader.classroom.collect.collect import collect as collect_class

    assignment = assignments_of(find_course(), name)[0]
    pattern = options.pop("pattern")
    sys.exit(guarded(lambda: collect_class(assignment, roster, folder, name=pattern, **options)))


@_command(
    examples=[
        ("grade answer day2 roster.csv --org course", "who has pushed since the last time"),
        ("grade answer day2 roster.csv --org course --workflow", "the same every 15 minutes, on GitHub"),
    ],
)
@click.argument("name", metavar="DAY", type=DayName())
@click.argument("roster", type=FILE)
@click.option(
    "--org", required=True, metavar="ORG", help="The organisation on GitHub where the repositories are."
)
@NAMES
@INSTRUCTORS
@click.option("--workflow", is_flag=True, help="Write the workflow that runs this command, and stop.")
@RESULTS
def answer(name: str, roster: Path, org: str, pattern: str, *, workflow: bool, **options: Any) -> None:
    """Let the hidden checks answer who has pushed since the last run.

    Grades the newest push of each into the file of results, and tells the student on the commit and where
    `grade post` does. `hidden` in the manifest says what is told before the grade is final, and how often. Costs
    nothing where nobody has pushed. Killed or interrupted, the same command goes on. GITHUB_TOKEN is the token.
    """
    from grader.classroom.answer import run_answer
    from grader.classroom.schedule import write_workflow

    assignment = assignments_of(find_course(), name)[0]
    if workflow:
        if options["instructors"]:
            raise Refusal(
                "--instructor: the workflow reads who instructs in the roster's column `role`; write it there"
            )
        guarded(lambda: write_workflow(assignment, roster, org, pattern))
        return
    sys.exit(
        guarded(
            lambda: run_answer(assignment, roster, org=org, name=pattern, environment=os.environ, **options)
        )
    )
