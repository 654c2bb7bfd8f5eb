"""What a command says: to a terminal, a pipe or a log; and how it says that something went wrong."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, TypeVar

import click

from grader.errors import Broken, Refused

if TYPE_CHECKING:
    from collections.abc import Callable

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
