"""The two charts of the class page, as SVG: a column for each range of points, a bar for each check.

Horizontal places are percentages and all others are pixels: a chart is as wide as the window, and its letters keep their
size. Colours are in page.css, by the classes of the parts; it hides `wide` texts in a narrow window.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from grader.render.escape import escape_html
from grader.render.words import points_text
from grader.report import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from grader.gradebook.classpage.survey import Bin, CheckFigures
    from grader.report import Outcome

TALLEST, SHORTEST = 180, 2  # pixels of a column
ROW, BAR = 46, 18  # pixels of a check, with its name above, and of its bar
LETTER = 16  # pixels of a line of text
GAP = 0.25  # percent of the width, between two parts
NARROW, WIDE = 300, 600  # pixels: a chart on a phone; above the second all texts are shown
DIGIT, MARGIN = 7, 6  # pixels of a number in a part
NAME = 36  # characters of a check's id, which fit on a phone beside its share
TICKS = 6  # on an axis, at most


def points_chart(bins: Sequence[Bin], most: float) -> str:
    """Return a column for each range of points, of at most `most`, with the number of its students."""
    tallest, step = max(one.students for one in bins), 100 / len(bins)
    bottom, columns = LETTER + TALLEST, list[str]()
    for place, one in enumerate(bins):
        if one.students:
            height = max(SHORTEST, TALLEST * one.students / tallest)
            title = f"<title>{one.words}: {_students(one.students)}</title>"
            number = _text((place + 0.5) * step, bottom - height - 4, one.students)
            columns.append(
                f'<g class="column">{title}{_rect(place * step, bottom - height, step, height)}{number}</g>'
            )
    ends = [*(one.low for one in bins), most]
    axis = [
        _tick(place * step, bottom, points_text(end), wide=bool(place % 2)) for place, end in enumerate(ends)
    ]
    told = "; ".join(f"{one.words}: {_students(one.students)}" for one in bins if one.students)
    return _chart("points", "Histogram of the points", told, [*columns, *axis], bottom=bottom, axis="Points")


def checks_chart(checks: Iterable[CheckFigures], words: Mapping[Outcome, str]) -> str:
    """Return a bar for each check, with a part for each outcome in the order of `words`."""
    checks = list(checks)
    total = max(check.outcomes.total() for check in checks)
    rows = [row for place, check in enumerate(checks) for row in _row(check, place * ROW, total, words)]
    bottom = len(checks) * ROW
    axis = [_tick(100 * number / total, bottom, str(number)) for number in _round_numbers(total)]
    told = "The numbers are in the table below."
    return _chart(
        "checks", "Bars of each check's outcomes", told, [*rows, *axis], bottom=bottom, axis="Students"
    )


def _row(check: CheckFigures, top: int, total: int, words: Mapping[Outcome, str]) -> list[str]:
    """Return a check's name, the share of the students who pass or the mean, and the parts of its bar."""
    name, figure = escape_html(one_line(check.id, NAME)), check.figure
    figure += " pass" if figure and not check.by_hand else ""
    parts = [_text(0, top + LETTER, name, "start")]
    parts += [_text(100, top + LETTER, figure, "end")] if figure else []
    before = 0
    for outcome, meaning in words.items():
        if number := check.outcomes[outcome]:
            left, width = 100 * before / total, 100 * number / total
            parts.append(
                f'<g class="{outcome}"><title>{name}: {number} {meaning}</title>'
                f"{_rect(left, top + LETTER + 6, width, BAR)}"
                f"{_number_in(left + width / 2, top + LETTER + BAR + 1, width, number)}</g>"
            )
            before += number
    return parts


def _number_in(middle: float, y: float, width: float, number: int) -> str:
    """Return the number of a part if it fits into the part's width."""
    needed = DIGIT * len(str(number)) + MARGIN
    if width * WIDE < 100 * needed:
        return ""
    return _text(middle, y, number, wide=width * NARROW < 100 * needed)


def _round_numbers(most: int) -> range:
    """Return the numbers of an axis from 0 to `most`, a round step apart."""
    steps = (base * 10**power for power in itertools.count() for base in (1, 2, 5))
    return range(0, most + 1, next(step for step in steps if most // step < TICKS))


def _chart(name: str, title: str, told: str, parts: Iterable[str], *, bottom: float, axis: str) -> str:
    """Return a chart above its axis; `title` and `told` are read to those who do not see it."""
    lines = "\n".join([*parts, f'<line x1="0" x2="100%" y1="{bottom:g}" y2="{bottom:g}"/>'])
    height = bottom + 3 * LETTER
    return (
        f'<svg class="chart" role="img" aria-labelledby="{name}-title" aria-describedby="{name}-told" width="100%" '
        f'height="{height:g}"><title id="{name}-title">{title}</title><desc id="{name}-told">{told}</desc>\n'
        f"{lines}{_text(50, height - 4, axis)}</svg>"
    )


def _tick(place: float, bottom: float, text: str, *, wide: bool = False) -> str:
    """Return a mark below an axis with its text, which stays within the chart."""
    anchor = "start" if not place else "end" if place > 99 else "middle"
    mark = f'<line x1="{place:.4g}%" x2="{place:.4g}%" y1="{bottom:g}" y2="{bottom + 4:g}"/>'
    return mark + _text(place, bottom + LETTER + 2, text, anchor, wide=wide)


def _rect(x: float, y: float, width: float, height: float) -> str:
    width = max(width - GAP, GAP)
    return f'<rect x="{x:.4g}%" y="{y:.4g}" width="{width:.4g}%" height="{height:.4g}"/>'


def _text(x: float, y: float, text: object, anchor: str = "middle", *, wide: bool = False) -> str:
    kind = ' class="wide"' if wide else ""
    return f'<text{kind} x="{x:.4g}%" y="{y:.4g}" text-anchor="{anchor}">{text}</text>'


def _students(number: int) -> str:
    return f"{number:,} student{'' if number == 1 else 's'}"
