"""Slips that facts tell as well as words could: edits of a day's reference, and what the report says of each.

No entry of solutions/DAY/mistakes/ has them. Rows with one name are ways to make one slip.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from grader.authoring.mistakes import Mistake, Way, apply_mistake, ways_of
from grader.authoring.reference import reference_blocks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.assignment import Assignment
    from grader.submissions.submission import Block


class Slip(NamedTuple):
    """A slip made in one way: the check that tells it, a part of what the report says there, and the edits."""

    name: str
    check: str
    told: str
    edits: dict[str, str]


def told_slips(day: str) -> list[Slip]:
    """Return the slips of a day."""
    return [Slip(*row) for row in import_module(f"told_slips.{day}").SLIPS]


def told_ways(assignment: Assignment) -> list[Way]:
    """Return every way to make the slips of a day that facts tell, as a mistake without words."""
    blocks, path = reference_blocks(assignment), assignment.reference
    ways: dict[str, list[dict[str, str]]] = {}
    for slip in told_slips(assignment.name):
        ways.setdefault(slip.name, []).append(slip.edits)
    made = [Mistake(name, "", tuple(edits), (), path, 1) for name, edits in ways.items()]
    return [Way(m, way, apply_mistake(blocks, m, way)) for m in made for way in range(len(m.edits))]


def all_ways(assignment: Assignment) -> list[Way]:
    """Return every way to make a mistake of a day, whether words tell it or a fact, by name."""
    return sorted([*ways_of(assignment), *told_ways(assignment)], key=lambda way: way.mistake.name)


def wrong_sources(assignment: Assignment) -> dict[str, str]:
    """Return the reference with each mistake in its first way, told by words or a fact, by the mistake's name."""
    ways = (way for way in all_ways(assignment) if not way.number)
    return {way.mistake.name: percent(way.blocks) for way in ways}


def percent(blocks: Sequence[Block]) -> str:
    """Return blocks as cells of one file."""
    return "\n\n".join(f"# %%\n{block.source}" for block in blocks)
