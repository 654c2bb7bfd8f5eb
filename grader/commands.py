"""What every command has: help with examples, names that are completed, the nearest name to a wrong one."""

from __future__ import annotations

import io
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from grader.console import INTERRUPTED, Refusal, say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.assignment import Assignment, Course

# Click would print completions in the place of the report where the environment names this variable,
# and nothing in the environment can: a variable's name ends at the first `=`.
_NO_VARIABLE = "="
STUDENTS, INSTRUCTORS, CLASSES = "While you work", "For instructors", "For a class"


class Command(click.Command):
    """A command with examples, whose help may name folders that somebody else has named."""

    def __init__(
        self,
        *args: Any,
        examples: Sequence[tuple[str, str]] = (),
        section: str = STUDENTS,
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self.examples, self.section = list(examples), section

    def get_help(self, ctx: click.Context) -> str:
        """Its help, for `say` does not print it."""
        from grader.render import inert

        return inert(super().get_help(ctx))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, and then the examples."""
        super().format_options(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                formatter.write_dl(self.examples)


class Group(Command, click.Group):
    """A command with commands of its own, which does something without one of them too."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Its commands, in the order in which they were made."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Mistyped names get the nearest one. Raises Refusal."""
        from grader.errors import nearest

        if args[0] not in self.commands:
            raise Refusal(
                f"{args[0]}: `{ctx.command_path}` knows no such word{nearest(args[0], list(self.commands))}; it knows "
                f"{', '.join(self.commands)}, each of which has --help"
            )
        return super().resolve_command(ctx, args)


def kept_commands(
    section: str,
) -> tuple[list[click.Command], Callable[..., Callable[[Callable[..., None]], click.Command]]]:
    """A list of commands of one section, and the decorator that makes a function one of them."""
    commands: list[click.Command] = []

    def command(
        cls: type[Command] = Command, **attributes: Any
    ) -> Callable[[Callable[..., None]], click.Command]:
        def made(function: Callable[..., None]) -> click.Command:
            commands.append(click.command(cls=cls, section=section, **attributes)(function))
            return commands[-1]

        return made

    return commands, command


class Commands(Command, click.Group):
    """Our commands, and `day` makes one for every assignment of the course."""

    command_class = Command

    def __init__(self, *args: Any, day: Callable[[str], click.Command], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.day = day

    def main(self, *args: Any, **options: Any) -> Any:
        """Run and exit. What click says of wrong usage quotes what was typed, so it goes through `say`."""
        ours = {"standalone_mode": False, "complete_var": _NO_VARIABLE}
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _tell  # type: ignore[assignment]  # it takes whatever comes
                code = super().main(*args, **options | ours)
        except click.ClickException as error:
            told = io.StringIO()
            error.show(told)
            say(told.getvalue(), err=True, nl=False)
            code = error.exit_code
        except click.Abort:
            say("grade: interrupted", err=True)
            code = INTERRUPTED
        sys.exit(code)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """A command by its name, or the one that grades the assignment of that name."""
        return super().get_command(ctx, name) or self.day(name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The assignments of the course, if there is one here, then our commands."""
        return [*days_here(), *super().list_commands(ctx)]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Mistyped names get the nearest one."""
        if args[0] not in self.commands:
            self._refuse_unknown(args[0])
        return super().resolve_command(ctx, args)

    def _refuse_unknown(self, name: str) -> None:
        from grader.assignment import Course
        from grader.errors import nearest
        from grader.manifest import AssignmentError

        help_ = "`grade --help` lists the commands"
        try:
            names = Course.find(Path.cwd()).names
        except AssignmentError as error:  # outside of any course a mistyped command is the nearer guess
            if near := nearest(name, list(self.commands)):
                raise Refusal(f"{name}: no such command{near}; {help_}") from error
            raise Refusal(str(error)) from error
        if name not in names:
            raise Refusal(
                f"{name}: no such assignment or command{nearest(name, [*names, *self.commands])}; "
                f"assignments here: {', '.join(names) or 'none'}; {help_}"
            )

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The assignments, what a student needs, what an instructor needs."""
        sections: dict[str, list[str]] = {"Assignments": days_here()}
        for name, command in self.commands.items():
            sections.setdefault(getattr(command, "section", STUDENTS), []).append(name)
        for title, names in sections.items():
            rows = [(name, self._short_help(ctx, name)) for name in names]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)

    def _short_help(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        return command.get_short_help_str(limit=80) if command else ""


def _tell(message: Warning | str, *_: Any) -> None:
    """Print a warning as the other notes."""
    from grader.render import one_line

    say(one_line(f"note: {message}"), err=True)


def days_here() -> list[str]:
    """The assignments of the course that the current folder belongs to; none where there is no course."""
    from grader.assignment import Course
    from grader.manifest import AssignmentError

    try:
        return Course.find(Path.cwd()).names
    except AssignmentError:
        return []


class DayName(click.ParamType):  # type: ignore[type-arg]  # older clicks have no arguments here
    """The name of an assignment; the shell completes it."""

    name = "day"

    def shell_complete(
        self,
        ctx: click.Context,  # noqa: ARG002  click's signature
        param: click.Parameter,  # noqa: ARG002  the same
        incomplete: str,
    ) -> list[CompletionItem[Any]]:
        """The assignments that begin so."""
        return [CompletionItem(name) for name in days_here() if name.startswith(incomplete)]


class CheckName(click.ParamType):  # type: ignore[type-arg]  # older clicks have no arguments here
    """The name of a check; the shell completes those of the assignment that stands on the line."""

    name = "check"

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002  click's signature
        incomplete: str,
    ) -> list[CompletionItem[Any]]:
        """The checks that begin so."""
        from grader.assignment import Course
        from grader.manifest import AssignmentError

        words = ctx.find_root().obj or []  # click reads nothing from a line that ends in an option
        try:
            course = Course.find(Path.cwd())
            day = next((word for word in words if word in course.names), "")
            checks = course.assignment(day).manifest.checks
        except AssignmentError:
            return []
        return [CompletionItem(name) for name in checks if name.startswith(incomplete)]


def find_course() -> Course:
    """The course that the current folder belongs to. Raises Refusal."""
    from grader.assignment import Course
    from grader.console import guarded

    return guarded(lambda: Course.find(Path.cwd()))


def assignments_of(course: Course, name: str | None) -> list[Assignment]:
    """That assignment, or all of them. Raises Refusal."""
    from grader.console import guarded

    names = [name] if name else course.names
    return [guarded(partial(course.assignment, n)) for n in names]


def refuse_unknown_check(course: Course, name: str, check: str | None) -> None:
    """Raises Refusal for a check that the assignment has not, with the nearest one that it has."""
    from grader.console import guarded
    from grader.errors import nearest

    known = list(guarded(lambda: course.assignment(name).manifest.checks))
    if check is not None and check not in known:
        raise Refusal(f"{check}: {name} has no such check{nearest(check, known)}; it has {', '.join(known)}")
