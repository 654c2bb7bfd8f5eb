"""The layout of text in a terminal: wrapped lines, columns, the bars of a chart, the two orders of a walk."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

from grader.render.escape import COMMAND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import Chart, WrongWalk


# --- Text


def wrap(text: str, width: int, indent: str = "") -> str:
    """Return the text in lines of at most `width` columns, each with the indent."""
    return "\n".join(indent + line for line in _lines(text, width - len(indent)))


def _lines(text: str, room: int) -> Iterator[str]:
    """Yield lines of at most `room` columns; a word is cut only if it is longer than a line."""
    line, used = "", 0  # the last line, and its columns
    for found in re.finditer(r"( *)(`grade [^`]{1,60}`[^ ]*|[^ ]+)", text):  # a command stays on one line
        more = text_width(found[0])
        if line and used + more <= room:
            line, used = line + found[0], used + more
            continue
        if line:
            yield line
        *full, line = _pieces(found[2], room)
        yield from full
        used = text_width(line)
    if line:
        yield line


def _pieces(word: str, room: int) -> Iterator[str]:
    """Yield the pieces of a word, one a line. A piece that begins with `::` is escaped, because a line begins with it."""
    while word:
        if found := COMMAND.match(word):
            word = f"{found[1]}: {word[found.end() :]}"
        ends = itertools.accumulate(map(text_width, word))
        end = max(1, sum(1 for _ in itertools.takewhile(room.__ge__, ends)))
        if end < len(word):
            end = word.rfind("/", 0, end) + 1 or end  # a path is cut between its names
        yield word[:end]
        word = word[end:]


def shorten(text: str, room: int) -> str:
    """Return as many words as fit into one line, and dots for the rest.

    >>> shorten("a walk in reverse order", 14)
    'a walk in ...'
    """
    text = " ".join(text.split())
    first, *more = itertools.islice(_lines(text, room), 2) if text else ("",)
    return f"{next(_lines(text, room - 4))} ..." if more else first


def text_width(text: str) -> int:
    """Return the width of a text in columns: two for a wide character, none for an accent."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(c) in {"Mn", "Me"} else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )


def _pad(text: str, width: int) -> str:
    """Fill a text up with blanks to `width` columns."""
    return text + " " * (width - text_width(text))


# --- A chart

_BAR, _AXIS = "█", "│"


def short_number(value: float) -> str:
    """Return a number in a few characters."""
    return f"{value or 0.0:.6g}"  # -0.0 is 0


def bar_lines(chart: Chart, room: int) -> list[str]:
    """Return a line for each value, with a bar to the left of the axis for a value below 0, else to the right."""
    rows = [(shorten(bar.label, 12), short_number(bar.value), bar.value) for bar in chart.bars]
    rows = [row for row in rows if math.isfinite(row[2])]
    names = max((text_width(row[0]) for row in rows), default=0)
    numbers = max((len(row[1]) for row in rows), default=0)
    half = min(20, (room - names - numbers - 5) // 2)
    largest = max((abs(row[2]) for row in rows), default=0)
    lines = []
    for name, figures, value in rows:
        length = max(1, round(half * (abs(value) / largest))) if value else 0
        left, right = (_BAR * length, "") if value < 0 else ("", _BAR * length)
        lines.append(f"{_pad(name, names)}  {figures:>{numbers}}  {left:>{half}}{_AXIS}{right}")
    return lines


# --- A walk

RIGHT, STUDENT = "a right order", "your order"
MOST = 24  # steps in a line
_NAME = 12  # columns of a node's name
_BEFORE = 3  # steps that are shown before the first wrong one, if not all fit
_DOTS = "..."


class _OrderColumn(NamedTuple):
    """One column of the two orders; a name is empty after the end of its order."""

    right: str
    student: str
    wrong: bool = False


def steps_of(walk: WrongWalk, most: int = MOST) -> list[_OrderColumn]:
    """Return at most `most` columns of the two orders, around the first wrong step, with dots for the others."""
    wrong = -1 if walk.wrong is None else walk.wrong
    length = max(len(walk.right), len(walk.student), min(wrong, len(walk.student)) + 1)
    start = min(max(0, wrong - min(_BEFORE, most - 1)), max(0, length - most))
    end = min(length, start + most)
    shown = [_OrderColumn(at(walk.right, i), at(walk.student, i), i == wrong) for i in range(start, end)]
    dots = _OrderColumn(_DOTS, _DOTS)
    return [*[dots] * (start > 0), *shown, *[dots] * (end < length)]


def at(names: list[str], index: int) -> str:
    return names[index] if index < len(names) else ""


def has_orders(walk: WrongWalk) -> bool:
    """Return True if the two orders differ or a step is wrong."""
    return walk.wrong is not None or walk.student != walk.right


def walk_lines(walk: WrongWalk, room: int) -> list[str]:
    """Return the two orders in aligned columns, with a mark below the first wrong step; no lines if they are equal."""
    if not has_orders(walk):
        return []
    for most in range(MOST, 0, -1):
        lines = _align(steps_of(walk, most))
        if max(map(text_width, lines)) <= room:
            break
    return lines


def _align(steps: list[_OrderColumn]) -> list[str]:
    rows = [(RIGHT, [step.right for step in steps]), (STUDENT, [step.student for step in steps])]
    named = [[shorten(name, _NAME) for name in names] for _, names in rows]
    widths = [max(map(text_width, names)) for names in zip(*named, strict=True)]
    head = max(len(RIGHT), len(STUDENT))
    lines = [
        "  ".join([title.ljust(head), *map(_pad, names, widths)]).rstrip()
        for (title, _), names in zip(rows, named, strict=True)
    ]
    before = next((i for i, step in enumerate(steps) if step.wrong), None)
    if before is not None:
        lines.append(" " * (head + sum(width + 2 for width in widths[:before]) + 2) + "^")
    return lines
