"""The commands for a class on GitHub: options, one call, the exit code.

Imports are late and few, because `grade day2` should answer in under half a second.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.console import (
    DAY,
    agree,
    command,
    find_course,
)
from grader.errors import Refused
from grader.gradebook.commands import FILE, RESULTS

if TYPE_CHECKING:
    from grader.assignment import Assignment

ON_GITHUB = "github"  # the default of `grade post --to`
STUDENTS = click.option(
    "--student", "students", multiple=True, metavar="NAME", help="Only this student; may be repeated."
)


@command(
    examples=[
        ("grade release ../course-template", "every assignment"),
        ("grade release day2 ../day2-template", "one assignment"),
        ("grade release day2 ../day2-template --push ADDRESS", "the same, pushed to a git remote"),
        ("grade release day2 ../bundle --classroom50", "for Classroom 50: its bundle"),
        ("grade release day2 ../day2.zip --gradescope", "for Gradescope: its autograder"),
    ],
)
@click.argument("days", nargs=-1, metavar="[DAY]...")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--reporter", is_flag=True, help="Add the classroom reporter's action to the workflow.")
@click.option("--no-workflow", is_flag=True, help="Omit the workflow, for a classroom that has its own.")
@click.option(
    "--classroom50", is_flag=True, help="Write Classroom 50's bundle of one assignment instead of a template."
)
@click.option(
    "--gradescope", is_flag=True, help="Write Gradescope's autograder of one assignment to the zip DIR."
)
@click.option(
    "--allow-weak-isolation",
    is_flag=True,
    help="With --gradescope: grade even on a machine that cannot close the jail.",
)
@click.option("--yes", is_flag=True, help="Overwrite files without asking.")
@click.option("--push", metavar="URL", help="Commit the template and push it there.")
def release(days: tuple[str, ...], folder: Path, **options: Any) -> None:
    """Write a template repository, ready to push.

    The template holds the named assignments, or all of them, and nothing from solutions/. Updates DIR if it holds an
    earlier release.
    """
    from grader.classroom.release.release import release as write_release

    course = find_course()
    write_release(course, days, folder, **options)


@command(
    name="class",
    examples=[
        ("grade class", "ask, show what exists and what is missing, and do it"),
        ("grade class --organisation ORG --roster ~/Downloads/roster.csv", "the same, with fewer questions"),
        ("grade class --due day1=2026-12-01 --due day2=2026-12-08T18:00", "with due dates"),
        ("grade class --forget ada", "remove a student from the results"),
    ],
)
@click.option("--organisation", default="", metavar="ORG", help="The class's organisation on GitHub.")
@click.option(
    "--roster", type=FILE, metavar="FILE", help="A CSV of the students; it is copied into the course."
)
@click.option("--due", multiple=True, metavar="DAY=DATE", help="The due date of a day; may be repeated.")
@click.option(
    "--forget", metavar="STUDENT", help="Delete STUDENT from results.db and the collected work, for good."
)
@click.option("--dry-run", is_flag=True, help="Show what would be done, and stop.")
@click.option("--yes", is_flag=True, help="Do it without asking.")
def class_(*, forget: str | None, dry_run: bool, yes: bool, **options: Any) -> None:
    """Set up a class for the course of the current folder.

    Writes the roster, the due dates and solutions/course.yaml. Replaces salts that are public, unless the class exists already.
    Creates the private repository ORG/course. Commits and pushes the files that decide grades. A second run does only
    what is missing. Refuses a repository that students can read.
    """
    if forget is not None:
        from grader.gradebook.shared import forget_student

        if not yes:
            agree(
                f"{forget} would be deleted from results.db and the collected work for good",
                "do so",
                "--yes",
            )
        forget_student(find_course(), Path("results.db"), forget)
        return
    from grader.classroom.class_setup import SetupOptions, run_class

    order = SetupOptions(**options)
    sys.exit(run_class(find_course(), order, dry_run=dry_run, yes=yes, environment=os.environ))


@command(
    examples=[
        ("grade open day2 --dry-run", "show what exists and what is missing"),
        ("grade open day2", "show it, ask, and do what is missing"),
        ("grade open day2 --student ada", "only one student's repository"),
        ("grade open day2 --only workflow", "only this part"),
    ],
)
@DAY
@STUDENTS
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(["release", "repositories", "secret", "workflow"]),
    help="Only this part; may be repeated.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be done, and stop.")
@click.option("--yes", is_flag=True, help="Do it without asking.")
def open(  # noqa: A001  the command's name
    assignment: Assignment, students: tuple[str, ...], only: tuple[str, ...], *, dry_run: bool, yes: bool
) -> None:
    """Open an assignment to the class of solutions/course.yaml.

    Releases the template into ../DAY-template and pushes it to ORG/DAY-template. Creates a repository for each student and
    invites them. Offers later changes of the template as a pull request. Sets the secret CLASS_TOKEN from the variable of
    that name, or else from GITHUB_TOKEN. Writes the workflow that answers pushes, and pushes it with the files that decide
    grades. A second run does only what is missing. Refuses a hidden salt that is public in Backgrade's own repository.
    """
    from grader.classroom.opening import run_open
    from grader.gradebook.settings import class_of

    class_ = class_of(assignment.course)
    sys.exit(run_open(assignment, class_, only, students, dry_run=dry_run, yes=yes, environment=os.environ))


@command(
    examples=[
        ("grade collect day2", "into ../day2-works, as of the due date"),
        ("grade collect day2 --latest", "the newest work"),
        ("grade collect day2 --student ada", "one student"),
        ("grade collect day2 students", "into another folder"),
    ],
)
@DAY
@click.argument("folder", metavar="[DIR]", type=FILE, required=False)
@click.option("--latest", is_flag=True, help="Fetch the newest work, whatever the due date is.")
@STUDENTS
@click.option(
    "--jobs",
    type=click.IntRange(1, 32),
    default=4,
    show_default=True,
    help="The number of repositories to fetch at once.",
)
def collect(assignment: Assignment, folder: Path | None, **options: Any) -> None:
    """Fetch each student's work at one commit.

    Fetches the last push that counts, by GitHub's clock: the due date, extensions and the late policy decide. If that
    work is late, fetches the last work on time as well. A push that does not change the work is never late. Pushes by
    instructors and bots do not count. For another git server see docs/gitlab.md and `grade batch --times`.

    DIR defaults to ../DAY-works, next to the course. Nothing is checked out. Lists the course files that students
    changed. Exits with 1 if a student's work is missing. After an interruption, run the same command again. Reads the
    class from solutions/course.yaml and the token from GITHUB_TOKEN.
    """
    from grader.classroom.collect.collect import collect as collect_class
    from grader.gradebook.settings import class_of, works_of

    class_ = class_of(assignment.course)
    folder = folder or works_of(assignment.course, assignment.name)
    sys.exit(collect_class(assignment, class_, folder, **options))


@command(
    examples=[
        ("grade post day2 --dry-run", "show who would get which grade"),
        ("grade post day2 --dry-run --student ada", "one student, with the whole text"),
        ("grade post day2", "on GitHub, for each student whose text is new or changed"),
        ("grade post day2 --final", "the same, declared final, if the manifest names no last day"),
        ("grade post day2 --to feedback", "a page and a Markdown file for each student"),
        ("grade post day2 --to feedback --zip moodle worksheet.csv", "also a zip to upload to Moodle"),
        ("grade post day2 --to feedback --zip canvas submissions.zip", "the same for Canvas"),
    ],
)
@DAY
@click.option(
    "--to",
    default=ON_GITHUB,
    show_default=True,
    metavar="github|DIR",
    help="Post on GitHub, or write a page and a Markdown file for each student into DIR.",
)
@click.option(
    "--zip",
    "upload",
    type=(click.Choice(["moodle", "canvas"]), FILE),
    metavar="PLATFORM EXPORT",
    help="With --to DIR: also write a zip for Moodle (EXPORT: its grading worksheet) or Canvas (EXPORT: its zip of submissions).",
)
@STUDENTS
@click.option(
    "--final/--provisional",
    default=None,
    help="Declare the grades final or provisional, if the manifest names no last day.",
)
@click.option("--take-over", is_flag=True, help="Replace texts that this results file did not post.")
@click.option("--dry-run", is_flag=True, help="Show what would be posted, and stop.")
@click.option("--yes", is_flag=True, help="Post without asking.")
@RESULTS
def post(
    assignment: Assignment,
    to: str,
    students: tuple[str, ...],
    results: Path,
    *,
    upload: tuple[str, Path] | None,
    final: bool | None,
    **options: Any,
) -> None:
    """Post each student's grade, on GitHub or into files.

    On GitHub, each student gets one comment on the pull request into `feedback`, or else one issue. Later runs edit it
    when the grade changes. The grade is provisional while late work still counts. After an interruption, run the same
    command again. Reads the token from GITHUB_TOKEN.

    With --to DIR, writes the same text to DAY-STUDENT.html and DAY-STUDENT.md. A second run writes only what changed, and
    keeps a file that was edited by hand or written from another results file. Exits with 1 if a student is left out.
    """
    from grader.classroom.post import run_files, run_post

    if to == ON_GITHUB:
        if upload is not None:
            raise Refused("--zip works only with --to DIR; add that option")
        sys.exit(run_post(assignment, results, students, final=final, environment=os.environ, **options))
    take_over = options.pop("take_over")
    for name, on in options.items():
        if on and name != "yes":
            raise Refused(f"--{name.replace('_', '-')} applies only to GitHub; leave it out with --to DIR")
    place = Path(to)
    sys.exit(
        run_files(
            assignment, results, students, folder=place, upload=upload, final=final, take_over=take_over
        )
    )


@command(examples=[("grade ci day2 --comment", "in a workflow; `grade release` writes one")])
@DAY
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option(
    "--comment", is_flag=True, help="Write one comment on the pull request or the commit; later runs edit it."
)
def ci(assignment: Assignment, path: Path | None, *, comment: bool) -> None:
    """Grade in a job of GitHub Actions.

    Writes feedback/DAY.json and .html, the summary, annotations and outputs, and prints what it could not write. Exits
    with 0 for any grade, and with 3 if grading failed.
    """
    from grader.classroom.ci import run

    sys.exit(run(assignment, path, comment=comment))


@command(
    examples=[
        ("grade answer day2", "each student who has pushed since the last run"),
        ("grade open day2 --only workflow", "the same every 15 minutes, on GitHub"),
    ],
)
@DAY
@RESULTS
def answer(assignment: Assignment, results: Path) -> None:
    """Grade new pushes with the hidden checks and post the results.

    Grades each student's newest push since the last run, and keeps the result in the results file. Posts a status on the
    commit, and the text of `grade post`. `hidden` in the manifest limits what is posted before the grade is final, and how
    often. After an interruption, run the same command again. Reads the class from solutions/course.yaml and the token
    from GITHUB_TOKEN.
    """
    from grader.classroom.answer import run_answer
    from grader.gradebook.settings import class_of

    class_ = class_of(assignment.course)
    sys.exit(run_answer(assignment, class_, results, environment=os.environ))
