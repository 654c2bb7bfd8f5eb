"""Set-up of a class in parts, for `grade class` and `grade open`: look at each, ask, and do what is missing.

Nothing is remembered: each part looks at what is there, so the same command goes on where the last one ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grader.console import FULL, agree, say

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class SetupPart(NamedTuple):
    """One part: `look` returns True if something is missing, and words about it; `do` returns an exit code, None for 0."""

    look: Callable[[], tuple[bool, str]]
    do: Callable[[], int | None]


def set_up(
    parts: Mapping[str, SetupPart], whom: str, before: Callable[[], None], *, dry_run: bool, yes: bool
) -> int:
    """Print a line for each part, ask, do what is missing, and return the exit code. Raises Refused, Broken.

    `whom` would get what is missing; `before` is called before the question.
    """
    missing = []
    for name, part in parts.items():
        is_missing, words = part.look()
        for line in f"  {name:<12}  {words}".splitlines():
            say(line)
        missing += [name] if is_missing else []
    before()
    if not missing or dry_run:
        say("nothing was done: this was a dry run; run it without --dry-run" if missing else "nothing to do")
        return FULL
    if not yes:
        agree(f"{whom} would get what is missing: {', '.join(missing)}", "do so", "--yes")
    return max(parts[name].do() or FULL for name in missing)
