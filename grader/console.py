"""The console of all commands: output, questions, help with examples, names of assignments and checks."""

from __future__ import annotations

import io
import os
import sys
import time
from contextlib import (
    AbstractContextManager,
    contextmanager,
    nullcontext,
    redirect_stderr,
    redirect_stdout,
    suppress,
)
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from grader.errors import Refused, nearest, reason_of
from grader.files import REPORTS, refuse_to_replace

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence

    from grader.assignment import Assignment, Course

FULL, LESS, USAGE, UNGRADABLE = 0, 1, 2, 3
INTERRUPTED = 130  # the exit code of shells after Ctrl-C
LOG_SECONDS = 15.0  # seconds between two lines of a log


def somebody_can_answer() -> bool:
    """Return True if standard input is a terminal, so that a person can answer; a service may have none at all."""
    return sys.stdin is not None and sys.stdin.isatty()


def agree(doubt: str, action: str, option: str) -> None:
    """Ask before doing something. Raises Refused unless a person answers yes."""
    from grader.render import escape_line

    if not somebody_can_answer():
        raise Refused(f"{doubt}; to {action}, add {option}")
    say(f"{doubt}.")
    try:
        agreed = click.confirm(escape_line(f"{action[0].upper()}{action[1:]}?"), default=False)
    except click.Abort:
        say("")  # ends the line of the question
        raise
    if not agreed:
        raise Refused("nothing was written")


@contextmanager
def printing_to(stream: io.TextIOBase) -> Iterator[None]:
    """Redirect output and errors of the block to a stream."""
    with redirect_stdout(stream), redirect_stderr(stream):
        yield


def quiet() -> AbstractContextManager[None]:
    """Discard output and errors of the block."""
    return printing_to(io.StringIO())


def working(on: str) -> AbstractContextManager[object]:
    """Show a spinner in a terminal during work of about half a minute."""
    if not sys.stderr.isatty():
        return nullcontext()
    from rich.console import Console
    from rich.text import Text

    from grader.render import escape_line

    return Console(stderr=True).status(Text(escape_line(on)))


@contextmanager
def reporting(line: Callable[[], str]) -> Iterator[Callable[[], None]]:
    """Show progress: in a terminal on one line that is updated, in a log every LOG_SECONDS."""
    if sys.stderr.isatty():
        from rich.console import Console
        from rich.text import Text

        from grader.render import escape_line

        # Keep this stream: grading a student redirects `sys.stderr`.
        console = Console(file=sys.stderr)

        def text() -> Text:
            text = Text(escape_line(line()))
            text.truncate(console.width - 2, overflow="ellipsis")  # room for the spinner
            return text

        with console.status(text()) as status:
            yield lambda: status.update(text())
        return
    last = time.monotonic()

    def now_and_then() -> None:
        nonlocal last
        if time.monotonic() - last > LOG_SECONDS:
            last = time.monotonic()
            say(line(), err=True)

    yield now_and_then


def say_notes(notes: Iterable[str]) -> None:
    """Print notes for the instructor on stderr, one on each line."""
    for note in notes:
        say(f"note: {note}", err=True)


def count_noun(number: int, noun: str) -> str:
    """Return a number with its noun.

    >>> count_noun(1, "student"), count_noun(1200, "student")
    ('1 student', '1,200 students')
    """
    return f"{number} {noun}" if number == 1 else f"{number:,} {noun}s"


def duration(seconds: float) -> str:
    """Return a duration in words.

    >>> duration(45), duration(180), duration(7500)
    ('45 s', '3 min', '2 h 5 min')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


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


def say(line: str, *, err: bool = False) -> None:
    """Print one line, escaped so that no text in it can begin another line."""
    from grader.render import escape_line

    _print(escape_line(line) + "\n", err=err)


def show(page: str, *, err: bool = False, painted: bool = False) -> None:
    """Print a page, escaped line by line. A page with colours is `painted` and must be escaped already."""
    from grader.render import escape

    _print(page if painted else escape(page), err=err)


def _print(text: str, *, err: bool) -> None:
    """Print, with substitutes for characters that the console lacks. Raises Refused if writing fails."""
    text = printable(text, sys.stderr if err else sys.stdout)
    try:
        click.echo(text, err=err, nl=False, color=None if not err else False)
    except BrokenPipeError:
        raise  # the reader of the pipe has closed it; click ends quietly
    except OSError as error:
        if err:
            raise
        raise Refused(f"the output cannot be written: {reason_of(error)}") from error


def terminal_width() -> int:
    """Return the columns of the terminal, as `shutil.get_terminal_size` does; importing `shutil` is slow."""
    with suppress(ValueError):
        if (asked := int(os.environ.get("COLUMNS", ""))) > 0:
            return asked
    with suppress(AttributeError, ValueError, OSError):  # closed, or no terminal
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    return 80


def printable(text: str, stream: Any) -> str:
    """Return the text with plain substitutes for characters that the stream's encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
    return text


_OF_COURSE = (
    "assignments",
    "solutions",
    "docs",
    ".git",
    ".github",
    "README.md",
    "constraints.txt",
    "requirements.txt",
)


class Output(click.Path):
    """A file that a command writes; `refuse_to_replace` protects an existing file, except with one of these endings."""

    def __init__(self, endings: Container[str] = REPORTS, *, dir_okay: bool = False) -> None:
        super().__init__(path_type=Path, dir_okay=dir_okay)
        self.endings = endings


class Command(click.Command):
    """A command with examples. Its help is escaped because it may contain names of folders."""

    def __init__(
        self,
        *args: Any,
        examples: Sequence[tuple[str, str]] = (),
        **attributes: Any,
    ) -> None:
        super().__init__(*args, **attributes)
        self.examples = list(examples)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises Refused before anything happens if it would overwrite work, settings or results."""
        for param in self.params:
            path = ctx.params.get(param.name or "")
            if isinstance(param.type, Output) and path is not None:
                refuse_to_replace(path, param.opts[0], _read_by(ctx), param.type.endings)
        return super().invoke(ctx)

    def get_help(self, ctx: click.Context) -> str:
        """Return the escaped help: click does not print it by `say`."""
        from grader.render import escape

        return escape(super().get_help(ctx))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, then the examples."""
        super().format_options(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                formatter.write_dl(self.examples)


def _read_by(ctx: click.Context) -> Iterator[Path]:
    """Yield the input paths of a command line, and the paths of the course and its students."""
    for param in ctx.command.params:
        value = ctx.params.get(param.name or "")
        if not isinstance(param.type, Output):
            values = value if isinstance(value, tuple) else (value,)
            yield from (Path(each) for each in values if isinstance(each, str | Path))
    with suppress(Refused):
        root = find_course().root
        yield from (root / name for name in _OF_COURSE)
        yield from root.parent.glob("*-works")


class Group(Command, click.Group):
    """A command with subcommands that also works without one."""

    command_class = Command

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the subcommands in the order of their definitions."""
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand that the line names. Raises Refused with the nearest name for a mistyped one."""
        if args[0] not in self.commands:
            raise Refused(
                f"{args[0]}: `{ctx.command_path}` has no such subcommand{nearest(args[0], list(self.commands))}; "
                f"it has {', '.join(self.commands)}, each with --help"
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


def course_here() -> Course | None:
    """Return the current course; None outside a course."""
    try:
        return find_course()
    except Refused:
        return None


def assignments_here() -> list[str]:
    """Return the assignments of the current course; none outside a course."""
    course = course_here()
    return course.names if course else []


class Day(click.ParamType):  # type: ignore[type-arg]  # older clicks have no arguments here
    """An assignment, by its name: the command receives an Assignment."""

    name = "day"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """Return the Assignment of that name. Raises Refused."""
        if not isinstance(value, str):
            return value
        return find_course().assignment(value)


DAY = click.argument("assignment", metavar="DAY", type=Day())


def refuse_unknown_check(assignment: Assignment, check: str | None) -> None:
    """Raise Refused, with the nearest name, for a check that the assignment does not have."""
    known = list(assignment.manifest.checks)
    if check is not None and check not in known:
        raise Refused(
            f"{assignment.name} has no check `{check}`{nearest(check, known)}; its checks are {', '.join(known)}"
        )
