"""What a user is told instead of a traceback; whose fault it is decides the exit code."""

import difflib
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
E = TypeVar("E", bound=Exception)
SHORTEST_PART = 3  # letters; fewer are in many names


class Refused(Exception):
    """Wrong usage or a file that cannot be used: the text names it, the place and the remedy; exit code 2."""


class Broken(Exception):
    """A file of the course's, or the grader itself: never a zero; exit code 3."""


def nearest(name: str, known: list[str]) -> str:
    """` (did you mean `x`?)`, or nothing when no known name is near, nor one that `name` is a part of."""
    close = difflib.get_close_matches(name, known, n=1)
    if not close and len(name) >= SHORTEST_PART:
        close = [whole for whole in known if name.lower() in whole]
    return f" (did you mean `{close[0]}`?)" if close else ""


def first_of(names: Sequence[str], most: int) -> str:
    """The first names, and the number of the others: `ada, grace and 3 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def retry(
    work: Callable[[int], T],
    on: type[E],
    pause: Callable[[E, int], float | None],
    sleep: Callable[[float], None] = time.sleep,
) -> T:
    """Call `work` until it returns; it gets the number of the try, from 0.

    After an exception of the class `on` and the number of its try, `pause` returns the seconds to wait before the
    next one. None raises the exception.
    """
    number = 0
    while True:
        try:
            return work(number)
        except on as error:
            if (seconds := pause(error, number)) is None:
                raise
        if seconds:
            sleep(seconds)
        number += 1
