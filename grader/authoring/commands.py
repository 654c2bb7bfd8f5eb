"""The instructor's commands: parse, call, exit code; no logic.

Imports are late and few, for `grade day2` should answer in under half a second.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import click

from grader.console import (
    FULL,
    INSTRUCTORS,
    LESS,
    DayName,
    agree,
    assignments_of,
    find_course,
    guarded,
    kept_commands,
    say,
    working,
)

COMMANDS, _command = kept_commands(INSTRUCTORS)


@_command(
    examples=[
        ("grade new day6", "in a course, or in the empty folder of one that begins"),
        ('grade new day6 --title "Roman numerals"', "a title, from which the notebook has its name"),
    ],
)
@click.argument("name")
@click.option("--title", metavar="TEXT", help="What the report says beside the name.")
@click.option("--yes", is_flag=True, help="Do not ask where the folder holds other things.")
def new(name: str, title: str | None, *, yes: bool) -> None:
    """Begin an assignment with a small one that is sound.

    Writes a manifest, a reference, checks and a mistake, to be changed into your own; nothing is overwritten.
    In an empty folder it begins a course.
    """
    from grader.authoring.new import plan, render, write

    planned = guarded(lambda: plan(name, title, Path.cwd()))
    if planned.doubt and not yes:
        agree(planned.doubt, f"begin {name} in {planned.root}", "--yes")
    guarded(lambda: write(planned))
    say(render(planned, Path.cwd()), nl=False)


@_command(
    examples=[("grade validate", "every assignment"), ("grade validate day2", "that one")],
)
@click.argument("name", required=False, type=DayName())
def validate(name: str | None) -> None:
    """Check that the course is sound.

    Looks at references, stubs, checks, answers, mistakes and the manifest, and changes nothing. With NAME only that assignment.
    """
    from grader.authoring.validation import validate as validate_assignment
    from grader.render import one_line

    course, found = find_course(), 0
    for assignment in assignments_of(course, name):
        with working(f"{assignment.name}: reference, stub, mistakes, a kernel"):
            problems = guarded(partial(validate_assignment, assignment))
        count = f"{len(problems)} problem{'s' if len(problems) > 1 else ''}"
        say(one_line(f"{assignment.name}  {count if problems else 'sound'}"))
        for problem in problems:
            say(one_line(f"  {problem}"))
        found += len(problems)
    sys.exit(LESS if found else FULL)


@_command(examples=[("grade stub day2", "after a change to the reference or to a mistake")])
@click.argument("name", type=DayName())
@click.option("--new-salt", is_flag=True, help="Renew what seeds the hidden checks' random numbers.")
def stub(name: str, *, new_salt: bool) -> None:
    """Write what is generated for an assignment.

    That is the stub notebook, the sealed answers and mistakes, and the topic's records.
    """
    from grader.authoring.generated import write_generated
    from grader.files import seen_from

    assignment = assignments_of(find_course(), name)[0]
    with working(f"{assignment.name}: stub, what is sealed, records"):
        written = guarded(lambda: write_generated(assignment, new_salt=new_salt))
    for path, changed in written:
        say(f"{'written  ' if changed else 'unchanged'}  {seen_from(path, Path.cwd())}")


@_command(
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
    guarded(lambda: write_release(course, days, folder, **options))


@_command(
    examples=[
        ("grade ci day2 --comment", "in a workflow; `grade release` writes one"),
        ("grade ci day2 --fail-under 60%", "a job with less is red"),
    ],
)
@click.argument("name", metavar="DAY", type=DayName())
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--comment", is_flag=True, help="Keep one comment on the pull request or the commit.")
@click.option("--fail-under", metavar="POINTS|SHARE%", help="Exit with 1 where there are fewer points.")
def ci(name: str, path: Path | None, *, comment: bool, fail_under: str | None) -> None:
    """Grade in a job of GitHub Actions.

    Writes feedback/DAY.json, the summary, annotations and outputs; says what it leaves out. Exits with 0 whatever
    the grade, but for --fail-under, and with 3 where nothing could be graded.
    """
    from grader.classroom.ci.ci import run

    assignment = assignments_of(find_course(), name)[0]
    sys.exit(guarded(lambda: run(assignment, path, comment=comment, fail_under=fail_under)))
