"""The commands for a class: parse, call, exit code; no logic.

Imports are late and few, for `grade day2` should answer in under half a second.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from grader.commands import CLASSES, CheckName, DayName, assignments_of, find_course, kept_commands
from grader.console import Refusal, guarded

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
    from grader.batch import run_batch

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
    examples=[
        ('grade override ada swap_rule 12 --why "right in another way"', "points for one check"),
        (
            'grade override --void swap_rule --why "the check was wrong"',
            "its points for everybody who handed in something",
        ),
        ('grade override ada --excuse --why "ill"', "the assignment does not count"),
        ('grade override bob --forget --why "the wrong folder"', "who came in by mistake"),
        ('grade override ada swap_rule --withdraw --why "a mix-up"', "as the checks found it again"),
        ("grade override", "everything that was decided"),
    ],
)
@click.argument("student", required=False)
@click.argument("check", required=False, type=CheckName())
@click.argument("points", required=False)
@click.option("--why", metavar="TEXT", help="The reason, which the student reads.")
@click.option(
    "--void",
    metavar="CHECK",
    type=CheckName(),
    help="Give this check's points to everybody who handed in something.",
)
@click.option("--excuse", is_flag=True, help="Let the assignment not count for the student.")
@click.option("--forget", is_flag=True, help="Let no result of the student count, until one is graded again.")
@click.option("--withdraw", is_flag=True, help="Take back what was decided.")
@click.option("--day", metavar="DAY", type=DayName(), help="The assignment, where several are in the file.")
@RESULTS
def override(
    student: str | None,
    check: str | None,
    points: str | None,
    *,
    why: str | None,
    void: str | None,
    excuse: bool,
    forget: bool,
    withdraw: bool,
    day: str | None,
    results: Path,
) -> None:
    """Decide where the checks are not the last word.

    It is kept with who and when, survives every regrade, and is shown to the student with the reason.
    """
    from grader.gradebook.decide import Wish, decide

    if points is not None and points.startswith("-"):
        raise Refusal(f"{points}: points are not less than nothing")
    course = find_course()
    wish = Wish(student, check, points, why, void, excuse=excuse, forget=forget, withdraw=withdraw)
    guarded(lambda: decide(course, results, day, wish))


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
@click.option(
    "--name",
    "pattern",
    default="{day}-{github}",
    show_default=True,
    metavar="PATTERN",
    help="How a repository is called; {student} too.",
)
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
    ],
)
@click.argument("name", metavar="DAY", type=DayName())
@click.option("--student", "students", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--dry-run", is_flag=True, help="Show what would be posted, and post nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@RESULTS
def post(name: str, students: tuple[str, ...], *, dry_run: bool, yes: bool, results: Path) -> None:
    """Tell each student their grade on GitHub.

    In a comment on the pull request into `feedback`, or in an issue; once, and edited when the grade changes. Whoever
    has nothing new is left alone. Killed or interrupted, the same command goes on. GITHUB_TOKEN is the token.
    """
    from grader.classroom.post import run_post

    course = find_course()
    assignment = assignments_of(course, name)[0]
    sys.exit(
        guarded(
            lambda: run_post(assignment, results, students, dry_run=dry_run, yes=yes, environment=os.environ)
        )
    )


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
@click.option(
    "--name",
    "pattern",
    metavar="PATTERN",
    default="{day}-{github}",
    show_default=True,
    help="What they are called; {student} is known too.",
)
@click.option("--before", metavar="TIME", help="What was pushed until then, such as 2026-12-01T23:59:00Z.")
@click.option("--latest", is_flag=True, help="What is there now, whatever the due date is.")
@click.option(
    "--template", metavar="FOLDER|ADDRESS", help="The template that students got, to look for drift."
)
@click.option("--student", "students", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--jobs", type=click.IntRange(1, 32), default=4, show_default=True, help="How many at once.")
def collect(name: str, roster: Path, folder: Path, **options: Any) -> None:
    """Fetch each student's work at one commit.

    From GitHub that of the last push that counts by the due date, extensions and the late rule, by GitHub's own
    clock; from other remotes the branch's, by the commits' own dates. GITHUB_TOKEN is the token. Nothing is checked
    out, and the same command goes on where one stopped.

    Also tells which protected files students changed. Exits with 1 where somebody's work is not there.
    """
    from grader.classroom.collect import collect as collect_class

    assignment = assignments_of(find_course(), name)[0]
    pattern = options.pop("pattern")
    sys.exit(guarded(lambda: collect_class(assignment, roster, folder, name=pattern, **options)))
