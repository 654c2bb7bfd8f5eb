"""The page of `grade watch`: a line about the last grading, then the report; in a terminal it stays where it is."""

from __future__ import annotations

import datetime as dt
import os
import re
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from grader.console import printable, say
from grader.render import one_line, render_terminal, wrapped
from grader.report import Outcome, rounded

if TYPE_CHECKING:
    from grader.report import CheckResult, Report

AGE_SECONDS = 60.0  # after which "saved just now" is written anew
MAX_CHANGES = 3  # that are told by name
SMALLEST = (80, 24)  # columns and lines, where the terminal does not say
_HOME, _REST, _END_OF_LINE = "\x1b[H", "\x1b[J", "\x1b[K"
_NO_WRAP, _WRAP = "\x1b[?7l", "\x1b[?7h"
_PAINT = re.compile(r"\x1b\[[0-9;]*m")


class Page:
    """What the student sees: a line about the last grading, then the report."""

    def __init__(self, check: str | None) -> None:
        self.check = check
        self.screen: Screen | None = None
        self.report: Report | None = None
        self.status, self.rendered = "", 0.0
        self.at = ""
        self._last_size = (0, 0)

    def open(self) -> None:
        """Take the terminal, if there is one."""
        if is_terminal():
            self.screen = Screen()

    def close(self) -> None:
        """Give it back."""
        if self.screen is not None:
            self.screen.close()

    def show(self, report: Report, kept: str) -> None:
        """A new report, and what is new in it."""
        self.at = _now()
        changes = kept or changes_between(self.report, report)
        self.status = f"{self.at}  {changes}"
        self.report = report
        if self.screen is None:
            say(f"{one_line(self.status)}\n\n{self._text(80)}")
        self._draw()

    def trouble(self, text: str) -> None:
        """Why there is no new report; the last one stays."""
        if not text:
            return
        since = f"  (this page is of {self.at})" if self.report else ""
        self.status = f"{_now()}  {text}{since}"
        if self.screen is None:
            say(one_line(self.status))
        self._draw()

    def grading(self) -> None:
        """It takes longer than usual."""
        self.status = f"{_now()}  grading; it takes longer than usual ..."
        self._draw()

    def refresh(self) -> None:
        """Follow the window, and write the age of the file anew from time to time."""
        if size() != self._last_size or time.monotonic() - self.rendered > AGE_SECONDS:
            self._draw()

    def _draw(self) -> None:
        if self.screen is None:
            return
        self._last_size = columns, lines = size()
        self.rendered = time.monotonic()
        head = [*wrapped(one_line(self.status), columns - 1).splitlines(), ""]
        page = self._text(columns - 1).splitlines()
        if len(head) + len(page) > lines:
            page = self._text(columns - 1, brief=True).splitlines()
        self.screen.draw(fit(head, page, lines))

    def _text(self, width: int, *, brief: bool = False) -> str:
        if self.report is None:
            return ""
        colour = self.screen is not None and "NO_COLOR" not in os.environ
        return render_terminal(
            self.report, width=width, colour=colour, only=self.check, watching=True, brief=brief
        )


def changes_between(before: Report | None, after: Report) -> str:
    """What is new since the last grading: `swap_rule passed now, +15; 2 more wait, -20`."""
    if before is None:
        return "watching; save, and it is graded again. Ctrl-C ends it."
    old = {check.id: check for check in before.checks}
    new = [(check, old[check.id]) for check in after.checks if check.id in old]
    changed = [(check, was) for check, was in new if check.outcome is not was.outcome]
    order = (Outcome.PASSED, Outcome.FAILED, Outcome.UNGRADABLE, Outcome.TODO, Outcome.BLOCKED)
    changed.sort(key=lambda pair: order.index(pair[0].outcome))
    named = [pair for pair in changed if pair[0].outcome is not Outcome.BLOCKED][:MAX_CHANGES]
    told = [f"{check.id} {_word(check.outcome)} now{_gain([(check, was)])}" for check, was in named]
    if rest := changed[len(named) :]:
        waiting = all(check.outcome is Outcome.BLOCKED for check, _ in rest)
        what = ("waits" if len(rest) == 1 else "wait") if waiting else "changed too"
        told.append(f"{len(rest)} more {what}{_gain(rest)}")
    return "; ".join(told) or "graded again, every check as before"


def _gain(pairs: list[tuple[CheckResult, CheckResult]]) -> str:
    points = rounded(sum(check.score - was.score for check, was in pairs))
    return f", {points:+g}" if points else ""


def _word(outcome: Outcome) -> str:
    return "is to be written" if outcome is Outcome.TODO else str(outcome)


def _now() -> str:
    return f"{dt.datetime.now():%H:%M:%S}"  # noqa: DTZ005  the time of the clock on the wall


# --- The terminal


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
