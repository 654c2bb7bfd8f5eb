"""What the terminal says, in lines of any length: for formats whose readers break lines themselves.

The texts of the report must be inert and of one line each before they come in here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from grader.render.walks import walk_words
from grader.render.words import (
    caveats,
    chart_words,
    is_explained,
    last_places,
    mistake_words,
    next_step,
    no_score_words,
    number,
    passed_words,
    place_words,
    reading_words,
    rule_words,
    score_words,
    shown_readings,
)
from grader.report import Outcome

if TYPE_CHECKING:
    from grader.report import CheckResult, Report


def check_lines(check: CheckResult) -> list[str]:
    """Return the lines about a check."""
    lines = [check.message] if check.message else []
    lines += map(reading_words, shown_readings(check))
    if check.chart and check.outcome is not Outcome.PASSED and not is_explained(check):
        bars = [f"  {bar.label}: {number(bar.value)}" for bar in check.chart.bars if math.isfinite(bar.value)]
        lines += [chart_words(check.chart), *bars]
    for words, where in rule_words(check):
        lines += [words, *map(place_words, filter(None, [where]))]
    if check.walk:
        lines += [*walk_words(check.walk), *map(place_words, filter(None, [check.walk.where]))]
    return lines + mistake_words(check) + [place_words(where) for where in last_places(check)]


def beside_lines(check: CheckResult) -> list[str]:
    """Return the lines about a check beside the line itself: neither places nor a chart."""
    lines = [check.message, *map(reading_words, shown_readings(check))]
    lines += [words for words, _ in rule_words(check)]
    lines += walk_words(check.walk) if check.walk else []
    return [*filter(None, lines), *mistake_words(check)]


def report_lines(report: Report) -> list[str]:
    """What is to be said of the whole: what the cells said, the points, what they do not tell, the next step."""
    if report.unread:
        return [
            f"{report.submission.path}: {report.unread}",
            f"{score_words(report)}: nothing could be graded.",
        ]
    lines = [f"While the cells ran: {note}" for note in report.notes]
    if report.score is None:
        broken = [check for check in report.checks if check.outcome is Outcome.UNGRADABLE]
        return [*lines, *(f"{check.id}: {check.message}" for check in broken), no_score_words(report)]
    score = f"{score_words(report)}, {passed_words(report)}"
    return [*lines, score, *caveats(report), next_step(report)]
