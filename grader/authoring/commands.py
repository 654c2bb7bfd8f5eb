"""The authors' commands: parse, call, exit code; no logic.

Imports are late and few, because `grade day2` should answer in under half a second.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from grader.console import (
    DAY,
    FULL,
    LESS,
    Day,
    agree,
    command,
    count_noun,
    find_course,
    refuse_unknown_check,
    reporting,
    say,
    show,
)
from grader.errors import Refused

if TYPE_CHECKING:
    from grader.assignment import Assignment

NEEDS_NOTEBOOKS = "jupytext is not installed (extra `authoring`), and a new salt does not change the notebook"


@command(
    examples=[
        ("grade new day6", "in a course, or in an empty folder, which becomes a course"),
        ('grade new day6 --title "Roman numerals"', "with a title, which also names the notebook"),
        ("grade new day6 --from ~/source/ps1", "from an assignment of nbgrader or otter"),
    ],
)
@click.argument("name", metavar="DAY")
@click.option("--title", metavar="TEXT", help="The title of the assignment in reports.")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Convert an assignment of nbgrader or otter. PATH is its source notebook, or the notebook's folder.",
)
@click.option("--yes", is_flag=True, help="Do not ask if the folder holds other files.")
def new(name: str, title: str | None, source: Path | None, *, yes: bool) -> None:
    """Begin an assignment with a small example.

    Writes a manifest, a reference, checks and a mistake for you to change; overwrites nothing. In an empty folder it
    begins a course. With --from, lists what it could not carry over; code of the notebook runs only in the jail.
    """
    from grader.authoring.new import plan, render, write

    planned = plan(name, title, Path.cwd(), source)
    if planned.doubt and not yes:
        agree(planned.doubt, f"begin {name} in {planned.root}", "--yes")
    write(planned)
    show(render(planned, Path.cwd()))


@command(
    examples=[
        ("grade validate", "every assignment"),
        ("grade validate day2", "one assignment"),
        ("grade validate day2 --check CHECK", "one check, while you write it"),
    ],
)
@click.argument("assignment", metavar="[DAY]", required=False, type=Day())
@click.option("--check", metavar="CHECK", help="Only this check, which takes less time.")
def validate(assignment: Assignment | None, check: str | None) -> None:
    """Verify that the course is sound.

    Tests references, stubs, checks, answers, mistakes and the manifest; changes nothing. With DAY, tests only that
    assignment. With --check, runs the tests of one check on the reference, the stub, null submissions (such as one that
    always returns 0) and every mistake. Needs the extra `authoring`.
    """
    from grader.authoring.runner import Progress
    from grader.authoring.validation import validate as validate_assignment
    from grader.authoring.validation import validate_check
    from grader.authoring.workers import ProcessPool

    if check is not None and assignment is None:
        raise Refused(f"--check {check} needs an assignment; run `grade validate DAY --check {check}`")
    found = 0
    with ProcessPool() as workers:
        for one in [assignment] if assignment else find_course().assignments:
            refuse_unknown_check(one, check)
            progress = Progress(f"{one.name}, {check}" if check else one.name)
            with reporting(progress.line) as progress.show:
                problems = (
                    validate_check(one, check, workers, progress)
                    if check
                    else validate_assignment(one, workers, progress)
                )
            found += len(problems)
            _tell(progress.name, problems)
            if check:
                say(f"Next: `grade validate {one.name}` tests the rest.")
    sys.exit(LESS if found else FULL)


def _tell(name: str, problems: list[str]) -> None:
    """Print the problems of an assignment or a check, each on its lines."""
    say(f"{name}  {count_noun(len(problems), 'problem') if problems else 'sound'}")
    for line in (line for problem in problems for line in problem.split("\n  ")):
        say(f"  {line}")


@command(
    examples=[
        ("grade stub day2", "after a change to the reference or to a mistake"),
        ("grade stub day2 --salts ../final", "another salt, for `grade batch --salts`"),
    ],
)
@DAY
@click.option(
    "--new-salt",
    is_flag=True,
    help="Renew the secret from which the hidden checks draw their random numbers.",
)
@click.option(
    "--salts",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write only another salt, for final grades, and the files that depend on this salt, into DIR.",
)
def stub(assignment: Assignment, *, new_salt: bool, salts: Path | None) -> None:
    """Write the generated files of an assignment.

    These are the stub notebook, the sealed answers and mistakes, and what the topic records from the reference.
    Needs the extra `authoring`; --new-salt and --salts work without it, and name the files that they leave unchanged.
    """
    from grader.authoring.generated import write_generated
    from grader.authoring.runner import Progress
    from grader.authoring.workers import ProcessPool
    from grader.files import seen_from
    from grader.topic import make_topic

    progress = Progress(assignment.name)
    with ProcessPool() as workers, reporting(progress.line) as progress.show:
        written = write_generated(
            assignment, new_salt=new_salt, salts=salts, workers=workers, progress=progress
        )
    for path, changed in written:
        say(f"{'written  ' if changed else 'unchanged'}  {seen_from(path, Path.cwd())}")
    if assignment.stub not in dict(written) and salts is None:
        say(f"note: {seen_from(assignment.stub, Path.cwd())} is unchanged: {NEEDS_NOTEBOOKS}", err=True)
    topic = make_topic(assignment.manifest.topic, {})
    if topic.record_note and any(path.name == topic.record for path, _ in written):
        say(f"note: {topic.record_note}", err=True)
