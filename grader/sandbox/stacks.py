"""The stack of a jail that does not reply: on a signal, its interpreter writes the stack to a pipe.

This works even in a loop that Python code cannot interrupt (`sum(iter(int, 1))`), and in one that catches every
exception. The written stack is untrusted data.
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

LOOKS = 10  # samples of a jail: the frames that all of them share do not end
BETWEEN = 0.005  # seconds
LATEST = 0.2  # seconds for writing the stack, enough for a busy machine
MOST_BYTES = 1 << 18  # of one stack
_DUMP = "Stack (most recent call first):\n"
_FRAME = re.compile(r'^  File "<block (\d{1,6})>", line (\d{1,9}) in (.{1,100})$', re.MULTILINE)
# The last line of a whole dump: our own start of the jail, or the place from which it was cut.
_WHOLE = re.compile(r'(^  File ".*launcher\.py", line \d+ in <module>|^  \.\.\.)\n\Z', re.MULTILINE)


class StackSampler:
    """Samples the stack of a forked jail: `signal` makes the jail write it to the descriptor `pipe`."""

    def __init__(self, pipe: int, signal: Callable[[], None]) -> None:
        self._pipe, self._signal = pipe, signal

    def look(self, times: int) -> tuple[Frame, ...]:
        """Return the student's frames in which the jail stands, outermost first; none if unknown."""
        dumps = ""
        with contextlib.suppress(OSError, SandboxUnavailable):
            for _ in range(times):
                self._signal()
                if not (dump := self._read_stack()):
                    break
                dumps += dump
                time.sleep(BETWEEN)
        return standing(dumps)

    def _read_stack(self) -> str:
        """Return the stack that the jail writes, cut if it takes too long or is too large."""
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
    """Return the student's frames that all dumps of the stack share, outermost first.

    The last frame is the running one; its line is the smallest line in the dumps.
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
