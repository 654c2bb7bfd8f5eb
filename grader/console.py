"""The console: what commands print and ask, how their help looks, and how mistyped names are answered."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from grader.errors import Refused, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from grader.assignment import Assignment, Course

FULL, LESS, USAGE, UNGRADABLE = 0, 1, 2, 3
INTERRUPTED = 130  # as shells say it of Ctrl-C


def somebody_can_answer() -> bool:
    """Whether a person sits at the keyboard; what runs as a service may have no standard input at all."""
    return sys.stdin is not None and sys.stdin.isatty()


def agree(doubt: str, what: str, option: str) -> None:
    """Ask before something is done. Raises Refused where nobody answers, or not with yes."""
    from grader.render import one_line

    if not somebody_can_answer():
        raise Refused(f"{doubt}; to {what} all the same, add {option}")
    say(one_line(f"{doubt}."))
    try:
        agreed = click.confirm(one_line(f"{what[0].upper()}{what[1:]}?"), default=False)
    except click.Abort:
        say("")  # the answer's line ends here
        raise
    if not agreed:
        raise Refused("nothing was written")


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
        raise Refused(f"the output cannot be written: {error.strerror}") from error


def printable(text: str, stream: Any) -> str:
    """The text, or what comes near to it where the stream's encoding lacks some of its signs."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


class Command(click.Command):
    """A command with examples, whose help may name folders that somebody else has named."""

    def __init__(
        self,
        *args: Any,
        examples: Sequence[tuple[str, str]] = (),
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self.examples = list(examples)

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
        """Mistyped names get the nearest one. Raises Refused."""
        if args[0] not in self.commands:
            raise Refused(
                f"{args[0]}: `{ctx.command_path}` knows no such word{nearest(args[0], list(self.commands))}; it knows "
                f"{', '.join(self.commands)}, each of which has --help"
            )
        return super().resolve_command(ctx, args)


def command(
    cls: type[Command] = Command, **attributes: Any
) -> Callable[[Callable[..., None]], click.Command]:
    """Make a function a command with `examples`."""
    return click.command(cls=cls, **attributes)


# --- The course, its assignments and checks on the command line


def find_course() -> Course:
    """Return the course that the current folder belongs to. Raises Refused."""
    from grader.assignment import Course

    return Course.find(Path.cwd())


def assignments_here() -> list[str]:
    """Return the names of the current course's assignments; none where there is no course."""
    from grader.assignment import Course

    try:
        return Course.find(Path.cwd()).names
    except Refused:
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
        """Return the assignments that begin so."""
        return [CompletionItem(name) for name in assignments_here() if name.startswith(incomplete)]


class Day(DayName):
    """An Assignment, by its name. Raises Refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """Return the Assignment of that name."""
        if not isinstance(value, str):
            return value
        course = find_course()
        return course.assignment(value)


DAY = click.argument("assignment", metavar="DAY", type=Day())


class CheckName(click.ParamType):  # type: ignore[type-arg]  # older clicks have no arguments here
    """The name of a check; the shell completes those of the assignment that stands on the line."""

    name = "check"

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002  click's signature
        incomplete: str,
    ) -> list[CompletionItem[Any]]:
        """Return the checks that begin so."""
        from grader.assignment import Course

        words = ctx.find_root().obj or []  # click reads nothing from a line that ends in an option
        try:
            course = Course.find(Path.cwd())
            day = next((word for word in words if word in course.names), "")
            checks = course.assignment(day).manifest.checks
        except Refused:
            return []
        return [CompletionItem(name) for name in checks if name.startswith(incomplete)]


def refuse_unknown_check(assignment: Assignment, check: str | None) -> None:
    """Raise Refused for a check that the assignment has not, with the nearest one that it has."""
    known = list(assignment.manifest.checks)
    if check is not None and check not in known:
        raise Refused(
            f"{check}: {assignment.name} has no such check{nearest(check, known)}; it has {', '.join(known)}"
        )
