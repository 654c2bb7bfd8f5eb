"""The commands for a class on GitHub: parse, call, exit code; no logic.

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
    DayName,
    agree,
    command,
    find_course,
)
from grader.errors import Refused
from grader.gradebook.commands import RESULTS

if TYPE_CHECKING:
    from grader.assignment import Assignment

FILE = click.Path(path_type=Path)
ON_GITHUB = "github"  # where `grade post` posts unless it is told otherwise
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
@click.argument("days", nargs=-1, type=DayName(), metavar="[DAY]...")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--reporter", is_flag=True, help="Add the classroom reporter's action to the workflow.")
@click.option("--no-workflow", is_flag=True, help="Leave the workflow out, for a classroom with its own.")
@click.option("--classroom50", is_flag=True, help="Write Classroom 50's bundle of one assignment instead.")
@click.option(
    "--gradescope", is_flag=True, help="Write Gradescope's autograder of one assignment to the zip DIR."
)
@click.option(
    "--allow-weak-isolation",
    is_flag=True,
    help="With --gradescope: grade also on a machine that cannot close the jail.",
)
@click.option("--yes", is_flag=True, help="Do not ask before files are overwritten.")
@click.option("--push", metavar="URL", help="Commit the template and push it there.")
def release(days: tuple[str, ...], folder: Path, **options: Any) -> None:
    """Write a template repository, ready to push.

    The template has the named assignments, or all, and nothing of solutions/. If DIR holds an earlier release, the
    command updates it.
    """
    from grader.classroom.release.release import release as write_release

    course = find_course()
    write_release(course, days, folder, **options)


@command(
    name="class",
    examples=[
        ("grade class", "ask, show what is there and what is missing, and do it"),
        ("grade class --organisation ORG --roster ~/Downloads/roster.csv", "the same, asking less"),
        ("grade class --due day1=2026-12-01 --due day2=2026-12-08T18:00", "with due dates"),
        ("grade class --forget ada", "take a student out of the record"),
    ],
)
@click.option("--organisation", default="", metavar="ORG", help="The class's organisation on GitHub.")
@click.option(
    "--roster", type=FILE, metavar="FILE", help="A CSV of the students; it is copied into the course."
)
@click.option(
    "--repository",
    default="course",
    show_default=True,
    metavar="NAME",
    help="The name of the private repository.",
)
@click.option("--due", multiple=True, metavar="DAY=DATE", help="Until when work counts; may be repeated.")
@click.option(
    "--forget", metavar="STUDENT", help="Take STUDENT out of results.db and the collected works, for good."
)
@click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")
@click.option("--yes", is_flag=True, help="Do not ask before it is done.")
def class_(*, forget: str | None, dry_run: bool, yes: bool, **options: Any) -> None:
    """Set up a class for the course of the current folder.

    Writes the roster, due dates and solutions/course.yaml, renews the salts that everybody can read, makes the private
    repository ORG/course, and commits and pushes what decides grades. Run it again, and it does what is missing. A class
    that is written down keeps its salts. Refuses a repository that students can read.
    """
    if forget is not None:
        from grader.gradebook.shared import forget_student

        if not yes:
            agree(
                f"{forget} would be taken out of results.db and the collected works for good",
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
        ("grade open day2 --dry-run", "show what is there and what is missing"),
        ("grade open day2", "show it, ask, and do what is missing"),
        ("grade open day2 --student ada", "one student's repository"),
        ("grade open day2 --only workflow", "one part alone"),
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
@click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def open(  # noqa: A001  the command's name
    assignment: Assignment, students: tuple[str, ...], only: tuple[str, ...], *, dry_run: bool, yes: bool
) -> None:
    """Open an assignment to the class of solutions/course.yaml.

    Releases the template into ../DAY-template and pushes it to ORG/DAY-template, makes each student's repository and
    invites them, offers what the template has changed since as a pull request, sets the secret CLASS_TOKEN, from the
    variable of that name or else from GITHUB_TOKEN, writes the workflow that answers pushes, and pushes it with all that
    decides grades. Run it again, and it does what is missing. Refuses while the hidden salt is Backgrade's own.
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
@click.option("--latest", is_flag=True, help="Take the newest work, whatever the due date is.")
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

    This is the last push that counts, by GitHub's clock; the due date, extensions and the late rule decide. Late work is
    fetched beside the last work in time. A push that does not change the work is never late. Pushes of instructors and
    bots do not count. For another git server see docs/gitlab.md and `grade batch --times`.

    DIR is ../DAY-works beside the course, unless you name another. Checks nothing out. Lists the protected files that
    students changed. Exits with 1 if somebody's work is missing. After an interruption, run the same command again. The
    class is the one in solutions/course.yaml. Reads the token from GITHUB_TOKEN.
    """
    from grader.classroom.collect.collect import collect as collect_class
    from grader.gradebook.settings import class_of, works_of

    class_ = class_of(assignment.course)
    folder = folder or works_of(assignment.course, assignment.name)
    sys.exit(collect_class(assignment, class_, folder, **options))


@command(
    examples=[
        ("grade post day2 --dry-run", "show what would be posted to whom"),
        ("grade post day2 --dry-run --student ada", "one student, with the whole text"),
        ("grade post day2", "on GitHub, to everybody with something new"),
        ("grade post day2 --final", "the same, as final grades, if the manifest names no last day"),
        ("grade post day2 --to feedback", "a page and a Markdown file for each student"),
        ("grade post day2 --to feedback --zip moodle worksheet.csv", "also a zip that Moodle takes back"),
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
    help="With DIR: also a zip for Moodle (EXPORT is its grading worksheet) or Canvas (its zip of submissions).",
)
@STUDENTS
@click.option(
    "--final/--provisional",
    default=None,
    help="Declare the grades final or provisional, if the manifest names no last day.",
)
@click.option("--take-over", is_flag=True, help="Replace texts that this results file did not post.")
@click.option("--dry-run", is_flag=True, help="Show what would be posted, and post nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
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

    On GitHub, writes one comment on the pull request into `feedback`, or one issue, and edits it when the grade
    changes. The grade is provisional while late work still counts. After an interruption, run the same command again.
    Reads the token from GITHUB_TOKEN.

    With --to DIR, writes DAY-STUDENT.html and DAY-STUDENT.md with the same text; a second run writes only what changed,
    and leaves a file that somebody edited or that was written from another results file.
    Exits with 1 if a student is left out.
    """
    from grader.classroom.post import run_files, run_post

    if to == ON_GITHUB:
        if upload is not None:
            raise Refused("--zip: it belongs to files; add --to DIR")
        sys.exit(run_post(assignment, results, students, final=final, environment=os.environ, **options))
    take_over = options.pop("take_over")
    for name, on in options.items():
        if on and name != "yes":
            raise Refused(f"--{name.replace('_', '-')}: it belongs to GitHub; leave it out with --to DIR")
    place = Path(to)
    sys.exit(
        run_files(
            assignment, results, students, folder=place, upload=upload, final=final, take_over=take_over
        )
    )


@command(examples=[("grade ci day2 --comment", "in a workflow; `grade release` writes one")])
@DAY
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--comment", is_flag=True, help="Keep one comment on the pull request or the commit.")
def ci(assignment: Assignment, path: Path | None, *, comment: bool) -> None:
    """Grade in a job of GitHub Actions.

    Writes feedback/DAY.json and .html, the summary, annotations and outputs, and says what it leaves out. Exits with
    0 for every grade, and with 3 if grading failed.
    """
    from grader.classroom.ci import run

    sys.exit(run(assignment, path, comment=comment))


@command(
    examples=[
        ("grade answer day2", "everybody who has pushed since the last run"),
        ("grade open day2 --only workflow", "the same every 15 minutes, on GitHub"),
    ],
)
@DAY
@RESULTS
def answer(assignment: Assignment, results: Path) -> None:
    """Grade new pushes with the hidden checks and post the results.

    Grades each student's newest push since the last run into the results file, and posts on the commit and where
    `grade post` does. `hidden` in the manifest limits what is posted before the grade is final, and how often. After an
    interruption, run the same command again. The class is the one in solutions/course.yaml. Reads the token from
    GITHUB_TOKEN.
    """
    from grader.classroom.answer import run_answer
    from grader.gradebook.settings import class_of

    class_ = class_of(assignment.course)
    sys.exit(run_answer(assignment, class_, results, environment=os.environ))
