"""The console: what commands print and ask, how their help looks, and how mistyped names are answered."""

from __future__ import annotations

import io
import sys
import warnings
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from grader.errors import Broken, Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.assignment import Assignment, Course

T = TypeVar("T")
FULL, LESS, USAGE, UNGRADABLE = 0, 1, 2, 3
INTERRUPTED = 130  # as shells say it of Ctrl-C


class Refusal(click.ClickException):
    """A clear message and exit code 2."""

    exit_code = USAGE

    def show(self, file: Any = None) -> None:  # noqa: ARG002  click's signature
        """Print it as the other errors: one line, whatever it quotes."""
        from grader.render import one_line

        say(one_line(f"grade: {self.format_message()}"), err=True)


class Fault(Refusal):
    """The course's or the grader's own fault: exit code 3."""

    exit_code = UNGRADABLE


def guarded(call: Callable[[], T]) -> T:
    """Turn what is known to go wrong into a message and an exit code."""
    try:
        return call()
    except Refused as error:
        raise Refusal(str(error)) from error
    except Broken as error:
        raise Fault(str(error)) from error


def somebody_can_answer() -> bool:
    """Whether a person sits at the keyboard; what runs as a service may have no standard input at all."""
    return sys.stdin is not None and sys.stdin.isatty()


def agree(doubt: str, what: str, option: str) -> None:
    """Ask before something is done. Raises Refusal where nobody answers, or not with yes."""
    from grader.render import one_line

    if not somebody_can_answer():
        raise Refusal(f"{doubt}; to {what} all the same, add {option}")
    say(one_line(f"{doubt}."))
    try:
        agreed = click.confirm(one_line(f"{what[0].upper()}{what[1:]}?"), default=False)
    except click.Abort:
        say("")  # the answer's line ends here
        raise
    if not agreed:
        raise Refusal("nothing was written")


def working(what: str) -> AbstractContextManager[object]:
    """Show in a terminal that half a minute of work is under way."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    from grader.render import one_line

    return Console(stderr=True).status(Text(one_line(what)))


_PLAIN = str.maketrans(
    {
        "×": "*",
        "·": "*",
        "→": "->",
        "∂": "d",
        "–": "-",
        "—": "-",
        "’": "'",
        "²": "^2",
        "…": "...",
        "−": "-",
        "█": "#",
        "│": "|",
    }
)


def say(text: str, *, err: bool = False, nl: bool = True, painted: bool = False) -> None:
    """Print, also on a console that cannot print everything.

    Everything goes through here, and comes out as text that neither a terminal nor a CI runner obeys;
    only a page with colours of our own, which is `painted`, must be that already.
    """
    from grader.render import inert

    stream = sys.stderr if err else sys.stdout
    text = printable(text if painted else inert(text), stream)
    try:
        click.echo(text, err=err, nl=nl, color=None if not err else False)
    except BrokenPipeError:
        raise  # whoever reads has seen enough; click ends quietly
    except OSError as error:
        if err:
            raise
        raise Refusal(f"the output cannot be written: {error.strerror}") from error


def printable(text: str, stream: Any) -> str:
    """The text, or what comes near to it where the stream's encoding lacks some of its signs."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


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

    return guarded(lambda: Course.find(Path.cwd()))


def assignments_of(course: Course, name: str | None) -> list[Assignment]:
    """That assignment, or all of them. Raises Refusal."""
    names = [name] if name else course.names
    return [guarded(partial(course.assignment, n)) for n in names]


def refuse_unknown_check(course: Course, name: str, check: str | None) -> None:
    """Raises Refusal for a check that the assignment has not, with the nearest one that it has."""
    from grader.errors import nearest

    known = list(guarded(lambda: course.assignment(name).manifest.checks))
    if check is not None and check not in known:
        raise Refusal(f"{check}: {name} has no such check{nearest(check, known)}; it has {', '.join(known)}")
