"""The commands for a class on GitHub: parse, call, exit code; no logic.

Imports are late and few, for `grade day2` should answer in under half a second.
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
    command,
    find_course,
)
from grader.errors import Refused
from grader.gradebook.commands import RESULTS

if TYPE_CHECKING:
    from grader.assignment import Assignment

FILE = click.Path(path_type=Path)
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


@command(
    examples=[
        ("grade release ../course-template", "every assignment"),
        ("grade release day2 ../day2-template", "that one"),
        ("grade release day2 ../day2-template --push ADDRESS", "the same, pushed to a git remote"),
        ("grade release day2 ../bundle --classroom50", "what Classroom 50 grades it by"),
        ("grade release day2 ../day2.zip --gradescope", "what Gradescope grades it by"),
    ],
)
@click.argument("days", nargs=-1, type=DayName(), metavar="[DAY]...")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--requirement",
    metavar="SPEC",
    help="What to install in the place of the running Backgrade: a requirement line, or the path of a wheel.",
)
@click.option("--reporter", is_flag=True, help="Let the classroom reporter's action tell the points too.")
@click.option("--no-workflow", is_flag=True, help="Leave the workflow out, for a classroom that has its own.")
@click.option("--classroom50", is_flag=True, help="Write Classroom 50's bundle of one assignment instead.")
@click.option(
    "--gradescope", is_flag=True, help="Write Gradescope's autograder of one assignment to the zip DIR."
)
@click.option(
    "--allow-weak-isolation", is_flag=True, help="With --gradescope: grade where no jail can be closed."
)
@click.option("--yes", is_flag=True, help="Do not ask before files of others are overwritten.")
@click.option("--push", metavar="URL", help="Commit the template and push it there.")
def release(days: tuple[str, ...], folder: Path, **options: Any) -> None:
    """Write a template repository, ready to push.

    Without DAY it has all assignments. It holds what a student may see, and nothing of solutions/.
    An earlier release in DIR is brought up to date.
    """
    from grader.classroom.release.release import release as write_release

    course = find_course()
    write_release(course, days, folder, **options)


@command(
    examples=[
        ("grade distribute day2 class.csv --org course --template course/day2 --dry-run", "the plan alone"),
        ("grade distribute day2 class.csv --org course --template course/day2", "the same, asked and done"),
    ],
)
@DAY
@click.argument("roster", type=FILE)
@click.option("--org", required=True, metavar="NAME", help="The organisation that gets the repositories.")
@click.option("--template", required=True, metavar="OWNER/NAME", help="What `grade release --push` made.")
@NAMES
@click.option("--public", is_flag=True, help="Let everybody see the repositories.")
@click.option("--student", "students", multiple=True, metavar="NAME", help="Only this one; may be repeated.")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and do nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def distribute(
    assignment: Assignment, roster: Path, *, org: str, dry_run: bool, yes: bool, **options: Any
) -> None:
    """Make a repository on GitHub for each student of a roster.

    From a released template, and invites the student. Where they are there already, what the template has changed
    since is offered as a pull request. Killed or interrupted, the same command goes on. GITHUB_TOKEN is the token.
    """
    from grader.classroom.distribute import Order, run_distribute

    order = Order(assignment.name, roster, org, **options)
    sys.exit(run_distribute(order, dry_run=dry_run, yes=yes, environment=os.environ))


@command(
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
@DAY
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
def collect(assignment: Assignment, roster: Path, folder: Path, **options: Any) -> None:
    """Fetch each student's work at one commit.

    From GitHub that of the last push that counts by the due date, extensions and the late rule, by GitHub's own
    clock; from other remotes the branch's, by the commits' own dates. Late work is fetched beside the last work in
    time. A push that leaves the work as it was is never late, and one of an instructor or a bot is not taken.
    GITHUB_TOKEN is the token. Nothing is checked out, and the same command goes on where one stopped.

    Also tells which protected files students changed. Exits with 1 where somebody's work is not there.
    """
    from grader.classroom.collect.collect import collect as collect_class

    pattern = options.pop("pattern")
    sys.exit(collect_class(assignment, roster, folder, name=pattern, **options))


@command(
    examples=[
        ("grade post day2 --dry-run", "who would be told what"),
        ("grade post day2 --dry-run --student ada", "and the whole text, for one"),
        ("grade post day2", "tell everybody for whom something is new"),
        ("grade post day2 --final", "the same, as final grades, where no last day is known"),
    ],
)
@DAY
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
def post(assignment: Assignment, students: tuple[str, ...], results: Path, **options: Any) -> None:
    """Tell each student their grade on GitHub.

    In a comment on the pull request into `feedback`, or in an issue; once, and edited when the grade changes. Whoever
    has nothing new is left alone. Killed or interrupted, the same command goes on. GITHUB_TOKEN is the token.
    While late work still counts, the grade is told as provisional.
    """
    from grader.classroom.post import run_post

    sys.exit(run_post(assignment, results, students, environment=os.environ, **options))


@command(
    examples=[
        ("grade ci day2 --comment", "in a workflow; `grade release` writes one"),
        ("grade ci day2 --fail-under 60%", "a job with less is red"),
    ],
)
@DAY
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--comment", is_flag=True, help="Keep one comment on the pull request or the commit.")
@click.option("--fail-under", metavar="POINTS|SHARE%", help="Exit with 1 where there are fewer points.")
def ci(assignment: Assignment, path: Path | None, *, comment: bool, fail_under: str | None) -> None:
    """Grade in a job of GitHub Actions.

    Writes feedback/DAY.json, the summary, annotations and outputs; says what it leaves out. Exits with 0 whatever
    the grade, but for --fail-under, and with 3 where nothing could be graded.
    """
    from grader.classroom.ci.ci import run

    sys.exit(run(assignment, path, comment=comment, fail_under=fail_under))


@command(
    examples=[
        ("grade answer day2 roster.csv --org course", "who has pushed since the last time"),
        ("grade answer day2 roster.csv --org course --workflow", "the same every 15 minutes, on GitHub"),
    ],
)
@DAY
@click.argument("roster", type=FILE)
@click.option(
    "--org", required=True, metavar="ORG", help="The organisation on GitHub where the repositories are."
)
@NAMES
@INSTRUCTORS
@click.option("--workflow", is_flag=True, help="Write the workflow that runs this command, and stop.")
@RESULTS
def answer(
    assignment: Assignment, roster: Path, org: str, pattern: str, *, workflow: bool, **options: Any
) -> None:
    """Let the hidden checks answer who has pushed since the last run.

    Grades the newest push of each into the file of results, and tells the student on the commit and where
    `grade post` does. `hidden` in the manifest says what is told before the grade is final, and how often. Costs
    nothing where nobody has pushed. Killed or interrupted, the same command goes on. GITHUB_TOKEN is the token.
    """
    from grader.classroom.answer import run_answer
    from grader.classroom.schedule import write_workflow

    if workflow:
        if options["instructors"]:
            raise Refused(
                "--instructor: the workflow reads who instructs in the roster's column `role`; write it there"
            )
        write_workflow(assignment, roster, org, pattern)
        return
    sys.exit(run_answer(assignment, roster, org=org, name=pattern, environment=os.environ, **options))
