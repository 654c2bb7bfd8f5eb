"""The instructor's commands: parse, call, exit code; no logic.

Imports are late and few, for `grade day2` should answer in under half a second.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.commands import INSTRUCTORS, Command, DayName, assignments_of, find_course
from grader.console import FULL, LESS, guarded, say, working

if TYPE_CHECKING:
    from collections.abc import Callable

COMMANDS: list[click.Command] = []


def _command(**attributes: Any) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function one of the commands."""

    def made(function: Callable[..., None]) -> click.Command:
        command = click.command(cls=Command, section=INSTRUCTORS, **attributes)(function)
        COMMANDS.append(command)
        return command

    return made


@_command(
    examples=[("grade validate", "every assignment"), ("grade validate day2", "that one")],
)
@click.argument("name", required=False, type=DayName())
def validate(name: str | None) -> None:
    """Check that the course is sound.

    Looks at references, stubs, mistakes, fingerprints and records, and changes nothing. With NAME only that assignment.
    """
    from grader.render import one_line
    from grader.validation import validate as validate_assignment

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

    That is the stub notebook, the fingerprints of the mistakes and the topic's records.
    """
    from grader.course import write_generated

    assignment = assignments_of(find_course(), name)[0]
    with working(f"{assignment.name}: stub, fingerprints, records"):
        written = guarded(lambda: write_generated(assignment, new_salt=new_salt))
    for path, changed in written:
        say(f"{'written  ' if changed else 'unchanged'}  {path}")


@_command(
    examples=[
        ("grade mistakes day2", "what the feedback of day 2 can name"),
        ("grade mistakes --output docs/mistakes.md", "the page of the whole course"),
    ],
)
@click.argument("name", required=False, type=DayName())
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write it there instead of printing it.",
)
def mistakes(name: str | None, output: Path | None) -> None:
    """Print the known mistakes as tables in Markdown.

    Each with its words and the checks that catch it; with NAME only those of that assignment. Needs solutions/.
    """
    from grader.files import write_text
    from grader.mistakes import mistakes_page

    course = find_course()
    text = guarded(lambda: mistakes_page(assignments_of(course, name)))
    if output is None:
        say(text, nl=False)
    else:
        guarded(lambda: write_text(output, text, course.root))
