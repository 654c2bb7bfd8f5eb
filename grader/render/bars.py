"""A chart drawn with letters: a line a value, bars on either side of an axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from grader.render.columns import columns, shortened
from grader.render.words import number

if TYPE_CHECKING:
    from grader.report import Chart

_BAR, _AXIS = "█", "│"


def bar_lines(chart: Chart, room: int) -> list[str]:
    """One line a value: to the left of the axis what is below 0, to the right what is above."""
    rows = [(shortened(bar.label, 12), number(bar.value), bar.value) for bar in chart.bars]
    rows = [row for row in rows if math.isfinite(row[2])]
    names = max((columns(row[0]) for row in rows), default=0)
    numbers = max((len(row[1]) for row in rows), default=0)
    half = min(20, (room - names - numbers - 5) // 2)
    largest = max((abs(row[2]) for row in rows), default=0)
    lines = []
    for name, told, value in rows:
        length = max(1, round(half * (abs(value) / largest))) if value else 0
        left, right = (_BAR * length, "") if value < 0 else ("", _BAR * length)
        blanks = " " * (names - columns(name))
        lines.append(f"{name}{blanks}  {told:>{numbers}}  {left:>{half}}{_AXIS}{right}")
    return lines
