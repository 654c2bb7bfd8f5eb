"""The time for explaining a submission; an explanation that fails or is late is left out.

Verdicts are final before anything is explained, so an explanation never costs a result. Code that explains or
draws is called through `Deadline.attempt`. Its loops call `Deadline.check`, and its requests to the jail get the
time that is left.
"""

from __future__ import annotations

import contextlib
import math
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")
EXPLAIN_SECONDS = 2.0  # for one submission, wall time
LOG_NAME = "grader.grading.explanations"  # for developers; users never see it


class OutOfTime(Exception):
    """The time for explanations is used up."""


class Deadline:
    """The seconds that are left for explaining one submission; only time inside `attempt` counts.

    The default has no end: an author of a course can wait.
    """

    def __init__(self, seconds: float = math.inf) -> None:
        self.cut = False  # True once an explanation was left out, for want of time or because its jail ended
        self._left = seconds
        self._until: float | None = None  # a time of `time.monotonic`, inside `attempt`

    @property
    def left(self) -> float:
        """The seconds that are left, 0 or more."""
        left = self._left if self._until is None else self._until - time.monotonic()
        return max(0.0, left)

    def check(self) -> None:
        """Raise OutOfTime when nothing is left."""
        if not self.left:
            self.cut = True
            raise OutOfTime

    def attempt(self, explain: Callable[[], T], otherwise: T) -> T:
        """Return what `explain` returns, or `otherwise` if it fails or no time is left for it."""
        if not self.left:
            self.cut = True
            return otherwise
        with self._running():
            return safely(explain, otherwise)

    @contextlib.contextmanager
    def _running(self) -> Iterator[None]:
        if self._until is not None:  # nested: the outer explanation counts the time
            yield
            return
        self._until = time.monotonic() + self._left
        try:
            yield
        finally:
            self._left, self._until = self.left, None


def safely(explain: Callable[[], T], otherwise: T) -> T:
    """Return what `explain` returns, or `otherwise` if it fails."""
    try:
        return explain()
    except OutOfTime:
        return otherwise
    except Exception:
        import logging  # takes 3 ms

        logging.getLogger(LOG_NAME).debug("an explanation was left out", exc_info=True)
        return otherwise
