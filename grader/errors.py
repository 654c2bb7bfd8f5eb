"""What a user is told instead of a traceback; whose fault it is decides the exit code."""

import difflib
from collections.abc import Sequence

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
