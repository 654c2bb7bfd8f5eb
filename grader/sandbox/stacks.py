"""The stack of a jail that does not answer: its interpreter writes it to a pipe when it gets a signal.

The interpreter does so even within a loop that Python code cannot interrupt (`sum(iter(int, 1))`) and within one that
catches every exception. What it writes is data.
"""

from __future__ import annotations

import contextlib
import os
import re
import select
import time
from typing import TYPE_CHECKING

from grader.sandbox.errors import Frame, SandboxUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

LOOKS = 10  # at a jail that runs on: the frames that they all share are those that do not end
BETWEEN = 0.005  # seconds
LATEST = 0.2  # seconds that a jail on a busy machine gets for writing its stack
MOST_BYTES = 1 << 18  # of one stack
_DUMP = "Stack (most recent call first):\n"
_FRAME = re.compile(r'^  File "<block (\d{1,6})>", line (\d{1,9}) in (.{1,100})$', re.MULTILINE)
# The last line of a whole dump: our own start of the jail, or the place from which it was cut.
_WHOLE = re.compile(r'(^  File ".*launcher\.py", line \d+ in <module>|^  \.\.\.)\n\Z', re.MULTILINE)


class StackSampler:
    """Looks at a forked jail from outside: `signal` makes it write its stack to the descriptor `pipe`."""

    def __init__(self, pipe: int, signal: Callable[[], None]) -> None:
        self._pipe, self._signal = pipe, signal

    def look(self, times: int) -> tuple[Frame, ...]:
        """Return the frames of the student's in which the jail stands, outermost first; none if it cannot be seen."""
        dumps = ""
        with contextlib.suppress(OSError, SandboxUnavailable):
            for _ in range(times):
                self._signal()
                if not (dump := self._written()):
                    break
                dumps += dump
                time.sleep(BETWEEN)
        return standing(dumps)

    def _written(self) -> str:
        """Return the stack that the jail writes; a part of it if that takes too long or is too much."""
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        written, text, until = b"", "", time.monotonic() + LATEST
        while (
            not _WHOLE.search(text) and len(written) < MOST_BYTES and (left := until - time.monotonic()) > 0
        ):
            chunk = os.read(self._pipe, 1 << 16) if poll.poll(1000 * left) else b""
            if not chunk:  # the time is over, or the jail has ended
                break
            written += chunk
            text = written.decode("utf-8", "replace")
        return text

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._pipe)


def standing(dumps: str) -> tuple[Frame, ...]:
    """Return the frames of the student's that every dump of the stack has, outermost first.

    The last one runs: its line is the first of those at which it was seen.
    """
    found: list[Frame] = []
    stacks = [stack for dump in dumps.split(_DUMP)[1:] if _WHOLE.search(dump) and (stack := _stack(dump))]
    for frames in zip(*stacks, strict=False):
        if len({function_of(frame) for frame in frames}) > 1:
            break
        found.append(min(frames, key=lambda frame: frame.line))
        if any(frame.line != found[-1].line for frame in frames):
            break
    return tuple(found)


def _stack(dump: str) -> Sequence[Frame]:
    """Return the student's frames in a dump, outermost first."""
    rows: Iterable[tuple[str, str, str]] = _FRAME.findall(dump)
    return [Frame.within_bounds(int(block), int(line), name) for block, line, name in rows][::-1]


def function_of(frame: Frame) -> tuple[int, str]:
    """Return the block and the name of a frame's function."""
    return frame.block, frame.function
