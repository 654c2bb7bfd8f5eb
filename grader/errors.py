"""The two errors that a user sees instead of a traceback, and helpers for messages."""

import difflib
from collections.abc import Sequence

SHORTEST_PART = 3  # letters; fewer occur in many names


class Refused(Exception):
    """Wrong usage or an unusable file; exit code 2. The text names the offender, the location and the remedy."""


class Broken(Exception):
    """A fault of the course's files or of the grader, which never costs a student points; exit code 3."""


def nearest(name: str, known: list[str]) -> str:
    """` (did you mean `x`?)` with the nearest known name, or one that contains `name`; empty if there is none."""
    close = difflib.get_close_matches(name, known, n=1)
    if not close and len(name) >= SHORTEST_PART:
        close = [whole for whole in known if name.lower() in whole]
    return f" (did you mean `{close[0]}`?)" if close else ""


def first_of(names: Sequence[str], most: int) -> str:
    """The first `most` names, and the number of the others: `ada, grace and 3 more`."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
