"""The page of `grade watch`: a line about the last grading, then the report; in a terminal it is drawn in place."""

from __future__ import annotations

import datetime as dt
import os
import re
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from grader.console import printable, say, show
from grader.render import escape_line, wrap
from grader.render.terminal import render_terminal
from grader.report import Outcome, round_score

if TYPE_CHECKING:
    from rich.live import Live

    from grader.report import CheckResult, Report

AGE_SECONDS = 60.0  # the page says how old the file is, so it is drawn again after this time
MAX_CHANGES = 3  # checks that the line about the last grading names
SMALLEST = (80, 24)  # columns and lines, for a terminal that does not report its size
_PAINT = re.compile(r"\x1b\[[0-9;]*m")


class ReportPage:
    """The page; in a pipe, one report after the other. The caller must open it first and always close it."""

    def __init__(self, check: str | None) -> None:
        self.check = check
        self.live: Live | None = None
        self.report: Report | None = None
        self.status, self.rendered = "", 0.0
        self.at = ""
        self._last_size = (0, 0)
        self._keys: Any = None

    def open(self) -> None:
        """Switch a terminal to its alternate screen, without echo."""
        if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb":
            return
        from rich.console import Console
        from rich.live import Live

        self._keys = _without_echo()
        self.live = Live(
            console=Console(highlight=False),
            screen=True,
            auto_refresh=False,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self.live.start()

    def close(self) -> None:
        """Restore the terminal, and print the last page into it."""
        if self.live is None:
            return
        with suppress(OSError):
            self.live.stop()
            show("\n".join([*self._lines(), ""]), painted=True)
        if self._keys is not None:
            import termios

            with suppress(termios.error):
                termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._keys)

    def show(self, report: Report, words: str) -> None:
        """Show a report with these words; without words, with the changes since the last report."""
        self.at = _now()
        self.status = f"{self.at}  {words or changes_between(self.report, report)}"
        self.report = report
        if self.live is None:
            show(f"{escape_line(self.status)}\n\n{self._text(80)}\n")
        self._draw()

    def trouble(self, text: str) -> None:
        """Show why there is no new report, above the last one."""
        if not text:
            return
        since = f"  (this page is from {self.at})" if self.report else ""
        self.status = f"{_now()}  {text}{since}"
        if self.live is None:
            say(self.status)
        self._draw()

    def grading(self) -> None:
        """Show that the grading takes longer than usual."""
        self.status = f"{_now()}  grading; it takes longer than usual ..."
        self._draw()

    def refresh(self) -> None:
        """Redraw if the size of the window has changed or the displayed age of the file is out of date."""
        if _size() != self._last_size or time.monotonic() - self.rendered > AGE_SECONDS:
            self._draw()

    def _draw(self) -> None:
        if self.live is None:
            return
        from rich.console import ConsoleDimensions
        from rich.text import Text

        self._last_size = _size()
        self.rendered = time.monotonic()
        self.live.console.size = ConsoleDimensions(*self._last_size)
        text = Text.from_ansi("\n".join(self._lines()), no_wrap=True)
        self.live.update(text, refresh=True)

    def _lines(self) -> list[str]:
        """Return the lines of the page that fit into the window."""
        columns, lines = _size()
        head = [*wrap(escape_line(self.status), columns - 1).splitlines(), ""]
        page = self._text(columns - 1).splitlines()
        if len(head) + len(page) > lines:
            page = self._text(columns - 1, compact=True).splitlines()
        return [printable(line, sys.stdout) for line in fit(head, page, lines)]

    def _text(self, width: int, *, compact: bool = False) -> str:
        if self.report is None:
            return ""
        colour = self.live is not None and "NO_COLOR" not in os.environ
        return render_terminal(
            self.report, width=width, colour=colour, only=self.check, watching=True, compact=compact
        )


def changes_between(before: Report | None, after: Report) -> str:
    """Return the changes since the last grading: `swap_rule passed now, +15; 2 more wait, -20`."""
    if before is None:
        return "watching: each save is graded again. Ctrl-C ends it."
    old = {check.id: check for check in before.checks}
    new = [(check, old[check.id]) for check in after.checks if check.id in old]
    changed = [(check, was) for check, was in new if check.outcome is not was.outcome]
    order = (
        Outcome.PASSED,
        Outcome.FAILED,
        Outcome.UNGRADABLE,
        Outcome.TODO,
        Outcome.BLOCKED,
        Outcome.MANUAL,
    )
    changed.sort(key=lambda pair: order.index(pair[0].outcome))
    named = [pair for pair in changed if pair[0].outcome is not Outcome.BLOCKED][:MAX_CHANGES]
    word = {outcome: str(outcome) for outcome in Outcome} | {Outcome.TODO: "is to be written"}
    parts = [f"{check.id} {word[check.outcome]} now{_gain([(check, was)])}" for check, was in named]
    if rest := changed[len(named) :]:
        waiting = all(check.outcome is Outcome.BLOCKED for check, _ in rest)
        what = ("waits" if len(rest) == 1 else "wait") if waiting else "changed too"
        parts.append(f"{len(rest)} more {what}{_gain(rest)}")
    return "; ".join(parts) or "graded again; no check has changed"


def _gain(pairs: list[tuple[CheckResult, CheckResult]]) -> str:
    points = round_score(sum(check.score - was.score for check, was in pairs))
    return f", {points:+g}" if points else ""


def _now() -> str:
    return f"{dt.datetime.now():%H:%M:%S}"  # noqa: DTZ005  the time of the clock on the wall


# --- The terminal


def _size() -> tuple[int, int]:
    """Return the current columns and lines of the terminal, regardless of COLUMNS."""
    try:
        columns, lines = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        return SMALLEST
    return columns or SMALLEST[0], lines or SMALLEST[1]


def fit(head: list[str], page: list[str], height: int) -> list[str]:
    """Return the lines that fit: the head, the beginning of the page, and always its last paragraph."""
    if len(head) + len(page) <= height:
        return [*head, *page]
    last = max((i for i, line in enumerate(page) if not _PAINT.sub("", line).strip()), default=-1) + 1
    body, foot = page[: max(0, last - 1)], page[last:]
    room = height - len(head) - len(foot) - 2  # the line about missing lines, and a blank one
    if room < 1:
        return [*head, *foot][-max(1, height) :]
    left = len(body[room:])
    return [
        *head,
        *body[:room],
        f"    ... {left} more lines; make the window taller to see them",
        "",
        *foot,
    ]


def _without_echo() -> Any:
    """Turn off the echo of keys; return the old settings, or None without a terminal."""
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
