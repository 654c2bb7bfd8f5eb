"""Time for explaining a submission, and the net below it: an explanation never costs a result.

Verdicts are final before anything is explained. Whoever explains, blames or draws is called through
`Deadline.attempt`, which leaves out what fails or comes too late. Loops call `Deadline.check`; requests
to the jail get the time that is left.
"""

from __future__ import annotations

import contextlib
import logging
import math
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")
EXPLAIN_SECONDS = 2.0  # a submission, wall time
LOG = logging.getLogger("grader.grading.explanations")  # for developers: nothing of it is shown


class OutOfTime(Exception):
    """The time for explanations is used up."""


class Deadline:
    """The seconds that are left for explaining one submission; only time inside `attempt` counts.

    Without a number of seconds there is no end to it: for the course's author, who waits.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self._left = seconds
        self._until: float | None = None  # a time of `time.monotonic`, while something is explained

    @property
    def left(self) -> float:
        """Seconds, 0 or more."""
        left = self._left if self._until is None else self._until - time.monotonic()
        return max(0.0, left)

    def check(self) -> None:
        """Raise OutOfTime when nothing is left."""
        if not self.left:
            raise OutOfTime

    def attempt(self, explain: Callable[[], T], otherwise: T) -> T:
        """Return what `explain` returns, or `otherwise` where it fails or no time is left for it."""
        if not self.left:
            return otherwise
        with self._running():
            return safely(explain, otherwise)

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        if self._until is not None:  # inside another explanation, whose time it is
            yield
            return
        self._until = time.monotonic() + self._left
        try:
            yield
        finally:
            self._left, self._until = self.left, None


def safely(explain: Callable[[], T], otherwise: T) -> T:
    """Return what `explain` returns, or `otherwise` where it fails."""
    try:
        return explain()
    except OutOfTime:
        return otherwise
    except Exception:
        LOG.debug("an explanation was left out", exc_info=True)
        return otherwise
