"""The command `grade`: the commands of all rooms under their headings, and one for every assignment."""

from __future__ import annotations

import gc
import io
import os
import sys
import warnings
from importlib import import_module
from typing import Any

import click

from grader import __version__
from grader.console import (
    INTERRUPTED,
    UNGRADABLE,
    USAGE,
    Command,
    assignments_here,
    course_here,
    find_course,
    say,
    show,
)
from grader.errors import FULL_DISK, Broken, Refused, nearest, reason_of
from grader.practice.commands import make_grade_command, show_progress

# The headings of `grade --help`, with the commands and their rooms; commands for a class are in the order of use.
SECTIONS = {
    "While you work": {
        "watch": "practice",
        "hint": "practice",
        "play": "practice",
        "walk": "practice",
        "reset": "practice",
        "doctor": "sandbox",
    },
    "For authors": {
        "new": "authoring",
        "stub": "authoring",
        "validate": "authoring",
        "release": "classroom",
        "site": "site",
    },
    "For a class": {
        "class": "classroom",
        "open": "classroom",
        "collect": "classroom",
        "batch": "fleet",
        "report": "gradebook",
        "copies": "gradebook",
        "viva": "viva",
        "mark": "marking",
        "override": "gradebook",
        "diff": "gradebook",
        "post": "classroom",
    },
    "In GitHub Actions": {"ci": "classroom", "answer": "classroom"},
}
_WITH_RECORD = {"classroom", "fleet", "gradebook", "marking", "viva"}  # rooms
_NAMES = {"class": "class_", "mark": "mark_day"}  # names of functions that differ from their command
ROOMS = {name: room for section in SECTIONS.values() for name, room in section.items()}

# If the environment has this variable, click prints completions instead of running the command. The environment must
# not change a grade, so click gets a name that no variable can have.
_NO_VARIABLE = "="


class _Commands(Command, click.Group):
    """All commands, imported on demand, and one for every assignment of the course."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run and exit: Refused gives exit code 2, Broken 3. `say` prints all output, even click's own messages."""
        ours = {"standalone_mode": False, "complete_var": _NO_VARIABLE}
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _note  # type: ignore[assignment]  # it takes whatever comes
                code = super().main(*args, **options | ours)
        except (Refused, Broken) as error:
            say(f"grade: {error}", err=True)
            code = USAGE if isinstance(error, Refused) else UNGRADABLE
        except OSError as error:  # from output by click itself, such as `--help`
            if error.errno not in FULL_DISK:
                raise
            say(f"grade: the output cannot be written: {reason_of(error)}", err=True)
            code = USAGE
        except click.ClickException as error:
            shown = io.StringIO()
            error.show(shown)
            show(shown.getvalue(), err=True)
            code = error.exit_code
        except click.Abort:
            say("grade: interrupted", err=True)
            code = INTERRUPTED
        gc.freeze()  # else Python would search all objects for garbage before it ends
        sys.exit(code)

    def get_command(self, ctx: click.Context, name: str) -> click.Command:  # noqa: ARG002  click's signature
        """Return the command of a name, or the one that grades the assignment of that name."""
        if name not in ROOMS:
            return make_grade_command(name)
        gc.enable()
        made: click.Command = getattr(import_module(f"grader.{ROOMS[name]}.commands"), _NAMES.get(name, name))
        return made

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the assignments of the course here, then the commands in the order of the help."""
        return [*assignments_here(), *ROOMS]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the line, with the class's results file if a branch stores it.

        Raises Refused with the nearest name for a mistyped one.
        """
        if args[0] not in ROOMS:
            self._refuse_unknown(args[0])
        found = super().resolve_command(ctx, args)
        if ROOMS.get(args[0]) in _WITH_RECORD and (course := course_here()):
            from grader.classroom.record import shared_record

            ctx.with_resource(shared_record(course, args, os.environ))
        return found

    def _refuse_unknown(self, name: str) -> None:
        help_ = "`grade --help` lists the commands"
        try:
            names = find_course().names
        except Refused as error:  # outside a course it is more likely a mistyped command
            if near := nearest(name, list(ROOMS)):
                raise Refused(f"{name}: no such command{near}; {help_}") from error
            raise Refused(str(error)) from error
        if name not in names:
            raise Refused(
                f"{name}: no such assignment or command{nearest(name, [*names, *ROOMS])}; "
                f"assignments here: {', '.join(names) or 'none'}; {help_}"
            )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the assignments of the course here, then the commands under their headings."""
        for title, names in {"Assignments": assignments_here(), **SECTIONS}.items():
            if names:
                commands = [self.get_command(ctx, name) for name in names]
                with formatter.section(title):
                    formatter.write_dl([(str(c.name), c.get_short_help_str(limit=80)) for c in commands])


def _note(message: Warning | str, *_: Any) -> None:
    """Print a warning as a note."""
    say(f"note: {message}", err=True)


@click.group(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Exit codes: 0 full marks or nothing to report, 1 less than full marks or a problem, 2 wrong usage, 3 "
    "could not be graded, 130 interrupted.",
)
@click.version_option(__version__)
@click.pass_context
def main(ctx: click.Context) -> None:
    """Grade the assignments of a course.

    A student's day:

    \b
      grade                          your points, and what to do next
      grade watch day2               grade at every save, while you write
      grade hint day2                a hint for the first check that does not pass
      grade play day2                step through graphs in the browser
      grade walk day2                what your code computed, step by step, beside a right walk
      grade day2 --check CHECK       grade one check only
      grade reset day2               get the untouched notebook back; yours is kept
    """  # noqa: D301  \b keeps click from filling the lines
    if ctx.invoked_subcommand is None:
        show_progress()
