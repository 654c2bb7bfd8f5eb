"""A page that stays where it is in a terminal and is drawn again in place."""

from __future__ import annotations

import os
import re
import sys
import threading
from contextlib import suppress
from typing import Any

from grader.console import printable

SMALLEST = (80, 24)  # columns and lines, where the terminal does not say
_HOME, _REST, _END_OF_LINE = "\x1b[H", "\x1b[J", "\x1b[K"
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"
_PAINT = re.compile(r"\x1b\[[0-9;]*m")


def is_terminal() -> bool:
    """Whether a page can be drawn in place on standard output."""
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def size() -> tuple[int, int]:
    """Columns and lines of the terminal, as they are now whatever COLUMNS says."""
    try:
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        return SMALLEST
    return columns or SMALLEST[0], lines or SMALLEST[1]


def fit(head: list[str], page: list[str], height: int) -> list[str]:
    """The lines that have room: the head, the page from its beginning, and always its last paragraph."""
    if len(head) + len(page) <= height:
        return [*head, *page]
    last = max((i for i, line in enumerate(page) if not _bare(line)), default=-1) + 1
    body, foot = page[: max(0, last - 1)], page[last:]
    room = height - len(head) - len(foot) - 2  # for the line that counts, and a blank one
    if room < 1:
        return [*head, *foot][-max(1, height) :]
    left = len(body[room:])
    return [
        *head,
        *body[:room],
        f"    ... {left} more lines; there is room for them in a taller window",
        "",
        *foot,
    ]


def _bare(line: str) -> str:
    return _PAINT.sub("", line).strip()


class Screen:
    """The terminal while a page stands in it. Close it at the end, whatever happens."""

    def __init__(self) -> None:
        self._drawn: tuple[tuple[int, int], list[str]] | None = None
        self._lock = threading.Lock()
        self._keys = _without_echo()
        if os.name == "nt":
            os.system("")  # noqa: S605, S607  the old console obeys escape sequences from then on
        self._write("\n" * (size()[1] - 1))  # what stood there scrolls away and is not lost

    def draw(self, lines: list[str]) -> None:
        """Put these lines in the place of what is there; nothing is written where they are there already."""
        with self._lock:
            if self._drawn == (now := (size(), lines)):
                return
            rows = [printable(line, sys.stdout) + _END_OF_LINE for line in lines]
            self._write(_NO_WRAP + _HOME + "\r\n".join(rows) + _REST + _WRAP)
            self._drawn = now

    def close(self) -> None:
        """Leave the page, and the cursor below it."""
        with suppress(OSError):
            self._write("\r\n")
        if self._keys is not None:
            import termios

            with suppress(termios.error):
                termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._keys)

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _without_echo() -> Any:
    """Keep keys that are typed from being shown in the page; gives how it was, or None."""
    try:
        import termios
    except ImportError:  # Windows
        return None
    try:
        before = termios.tcgetattr(sys.stdin.fileno())
        quiet = termios.tcgetattr(sys.stdin.fileno())
        quiet[3] &= ~termios.ECHO
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, quiet)
    except (termios.error, OSError, ValueError):  # no terminal to type in
        return None
    return before
