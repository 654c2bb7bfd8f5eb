"""The two orders of a walk side by side, with the first wrong step marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from grader.render.columns import columns, shortened

if TYPE_CHECKING:
    from grader.report import WalkNote

RIGHT, STUDENT = "a right order", "your order"
MOST = 24  # steps side by side
_NAME = 12  # columns of a node's name
_BEFORE = 3  # steps in front of the first wrong one, where not all have room
_DOTS = "..."


class Step(NamedTuple):
    """One column of the two orders; a name is empty where its order has ended."""

    right: str
    student: str
    wrong: bool = False


def steps_of(walk: WalkNote, most: int = MOST) -> list[Step]:
    """The columns of the two orders: at most so many, around the first wrong step, between dots for the others."""
    wrong = -1 if walk.wrong is None else walk.wrong
    length = max(len(walk.right), len(walk.student), min(wrong, len(walk.student)) + 1)
    start = min(max(0, wrong - min(_BEFORE, most - 1)), max(0, length - most))
    end = min(length, start + most)
    shown = [Step(_at(walk.right, i), _at(walk.student, i), i == wrong) for i in range(start, end)]
    dots = Step(_DOTS, _DOTS)
    return [*[dots] * (start > 0), *shown, *[dots] * (end < length)]


def _at(names: list[str], index: int) -> str:
    return names[index] if index < len(names) else ""


def order_words(walk: WalkNote) -> str:
    """What the two orders are of."""
    return f"The order of the calls on {walk.graph}:" if walk.graph else "The order of the calls:"


def walk_lines(walk: WalkNote, room: int) -> list[str]:
    """The two orders in aligned columns, and a mark below the first wrong step."""
    for most in range(MOST, 0, -1):
        lines = _aligned(steps_of(walk, most))
        if max(map(columns, lines)) <= room:
            break
    return lines


def _aligned(steps: list[Step]) -> list[str]:
    rows = [(RIGHT, [step.right for step in steps]), (STUDENT, [step.student for step in steps])]
    named = [[shortened(name, _NAME) for name in names] for _, names in rows]
    widths = [max(map(columns, names)) for names in zip(*named, strict=True)]
    head = max(len(RIGHT), len(STUDENT))
    lines = [
        "  ".join([title.ljust(head), *map(_padded, names, widths)]).rstrip()
        for (title, _), names in zip(rows, named, strict=True)
    ]
    before = next((i for i, step in enumerate(steps) if step.wrong), None)
    if before is not None:
        lines.append(" " * (head + sum(width + 2 for width in widths[:before]) + 2) + "^")
    return lines


def _padded(name: str, width: int) -> str:
    return name + " " * (width - columns(name))


def walk_words(walk: WalkNote) -> list[str]:
    """A walk in lines of any length, whose columns nobody can align."""
    steps = steps_of(walk)
    lines = [walk.words, order_words(walk)]
    for title, names in ((RIGHT, [s.right for s in steps]), (STUDENT, [s.student for s in steps])):
        lines.append(f"  {title}: {', '.join(filter(None, names)) or 'none'}")
    if walk.wrong is not None:
        name = _at(walk.student, walk.wrong)
        lines.append(
            f"  the first wrong step of yours is number {walk.wrong + 1}, {name}"
            if name
            else f"  a call is missing in yours after step {len(walk.student)}"
        )
    return lines
