"""A terminal for tests: a command behind a real pty, and what would be on its screen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

_SEQUENCE = re.compile(r"\x1b\[(\??)([0-9;]*)([A-Za-z])")


class Display:
    """As much of a terminal as a page in place needs: both screens, home, both clears, the right margin."""

    def __init__(self, columns: int, lines: int) -> None:
        self.columns, self.lines = columns, lines
        self.rows, self.row, self.column, self.wraps, self.scrolled = [""] * lines, 0, 0, True, 0
        self.alternate, self.cursor = False, True
        self.saved = ([""] * lines, 0)

    def feed(self, text: str) -> None:
        while text:
            if match := _SEQUENCE.match(text):
                self._obey(*match.groups())
                text = text[match.end() :]
            else:
                self._put(text[0])
                text = text[1:]

    def _obey(self, private: str, number: str, letter: str) -> None:
        if private:
            self._switch(number, on=letter == "h")
        elif letter == "H":
            self.row = self.column = 0
        elif letter == "K":
            self.rows[self.row] = self.rows[self.row][: self.column]
        elif letter == "J":
            self._obey("", "", "K")
            self.rows[self.row + 1 :] = [""] * (self.lines - self.row - 1)
        else:
            assert letter == "m", f"\\x1b[{number}{letter}"

    def _switch(self, number: str, *, on: bool) -> None:
        """The right margin, the cursor, or the screen: a program that ends gives the first one back."""
        if number == "7":
            self.wraps = on
        elif number == "25":
            self.cursor = on
        elif number == "1049" and on != self.alternate:
            self.alternate = on
            kept, self.saved = self.saved, (self.rows, self.row)
            self.rows, self.row = ([""] * self.lines, 0) if on else kept
            self.column = 0

    def _put(self, letter: str) -> None:
        if letter == "\r":
            self.column = 0
        elif letter == "\n":
            self.row += 1
            if self.row == self.lines:
                self.rows, self.row, self.scrolled = [*self.rows[1:], ""], self.row - 1, self.scrolled + 1
        else:
            if self.column == self.columns and self.wraps:
                self._put("\r")
                self._put("\n")
            at = min(self.column, self.columns - 1)
            row = self.rows[self.row].ljust(at)
            self.rows[self.row] = row[:at] + letter + row[at + 1 :]
            self.column = at + 1


class Terminal:
    """A command that runs in a terminal of its own; use it as a context manager."""

    def __init__(self, command: Sequence[str | Path], cwd: Path, columns: int = 80, lines: int = 24) -> None:
        self.display = Display(columns, lines)
        ours, theirs = pty.openpty()
        self.ours, self.theirs = ours, theirs
        self.resize(columns, lines)
        environment = {k: v for k, v in os.environ.items() if k not in {"NO_COLOR", "COLUMNS", "LINES"}}
        self.process = subprocess.Popen(
            [str(part) for part in command],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=cwd, start_new_session=True,
            env=environment | {"TERM": "xterm-256color"},
        )  # fmt: skip

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.display = Display(columns, lines)

    @property
    def text(self) -> str:
        return "\n".join(row.rstrip() for row in self.display.rows)

    @property
    def echoes(self) -> bool:
        return bool(termios.tcgetattr(self.theirs)[3] & termios.ECHO)

    def read(self, seconds: float) -> bool:
        """Take in what was printed within that time; gives whether anything was."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        self.display.feed(os.read(self.ours, 1 << 16).decode(errors="replace"))
        return True

    def until(self, wanted: str | Callable[[str], bool], seconds: float = 60) -> float:
        """Wait until that is on the screen; gives the seconds that it took."""
        found = wanted if callable(wanted) else lambda text: wanted in text
        started = time.monotonic()
        while not found(self.text):
            left = started + seconds - time.monotonic()
            assert left > 0, f"{wanted} did not appear:\n{self.text}"
            self.read(min(left, 0.05))
        return time.monotonic() - started

    def end(self, number: int = signal.SIGINT) -> int:
        """Send it a signal, and give its exit code."""
        self.process.send_signal(number)
        deadline = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < deadline:
            self.read(0.05)
        while self.read(0.05):
            pass
        return self.process.wait(timeout=1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.ours)
        os.close(self.theirs)
