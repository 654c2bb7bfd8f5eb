"""The report in a terminal: a line for each check, then the details of failed checks, the next step last."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import msgspec

from grader.render.escape import escape_line
from grader.render.layout import bar_lines, shorten, walk_lines, wrap
from grader.render.words import (
    caveats,
    chart_words,
    details,
    file_words,
    is_short,
    next_step,
    no_score_words,
    one_at_a_time,
    passed_words,
    place_words,
    reading_words,
    rows_of,
    score_words,
)
from grader.report import Chart, Location, Mismatch, Outcome, WrongWalk, with_texts

if TYPE_CHECKING:
    from grader.render.words import Part, ReportRow
    from grader.report import CheckResult, Report

INDENT = " " * 4
LEAST_BESIDE = 14  # columns; with less room beside a check, no words are shown there
_COLOURS = {
    Outcome.PASSED: "32",
    Outcome.FAILED: "31",
    Outcome.BLOCKED: "33",
    Outcome.TODO: "36",
    Outcome.UNGRADABLE: "35",
    Outcome.MANUAL: "34",
}


class _Page(msgspec.Struct, frozen=True):
    width: int
    colour: bool
    id_width: int
    only: str | None = None
    watching: bool = False

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def wrap(self, text: str, indent: str = INDENT) -> str:
        return wrap(text, self.width, indent)


def render_terminal(
    report: Report,
    *,
    width: int = 80,
    colour: bool = False,
    now: dt.datetime | None = None,
    only: str | None = None,
    watching: bool = False,
    compact: bool = False,
) -> str:
    """Return the report for a terminal of `width` columns; the file's age is counted from `now`.

    `only` is the one check that was graded. With `watching`, the next step is to save, not a command. With `compact`,
    one line summarises the checks that passed.
    """
    report = with_texts(report, escape_line)
    rows = rows_of(report, compact=compact)
    longest = max((len(row.name) for row in rows), default=0)
    page = _Page(max(32, min(width, 100)), colour, longest, only, watching)
    parts = [] if is_short(report) else [_head(report, page, now or dt.datetime.now(dt.UTC))]
    if report.notes:
        notes = "\n".join(page.wrap(note) for note in report.notes)
        parts.append(f"While the cells ran:\n{notes}")
    parts.append("\n".join(_row(row, page) for row in rows))
    shown, later = one_at_a_time(report)
    parts += [_details(check, page) for check in shown]
    parts.append(_foot(report, later, page))
    return "\n\n".join(parts) + "\n"


def _head(report: Report, page: _Page, now: dt.datetime) -> str:
    name, file = report.assignment, report.submission
    title = page.paint(page.wrap(f"{name.id}  {name.title}", ""), "1")
    where = file_words(file.path) if report.advisory else f"{file.path}, saved {_age(file.modified, now)}"
    return f"{title}\n{page.wrap(where, '')}"


def _age(modified: str, now: dt.datetime) -> str:
    then = dt.datetime.fromisoformat(modified)
    seconds = (now - then).total_seconds()
    if seconds < 0 or seconds > 7 * 86_400:
        return f"on {then.astimezone():%Y-%m-%d at %H:%M}"
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now" if seconds < 10 else f"{int(seconds)} seconds ago"


def _row(row: ReportRow, page: _Page) -> str:
    line = f"  {row.outcome:<10} {row.name:<{page.id_width}} {row.worth:>7}  "
    room = page.width - len(line)
    words = shorten(row.words, room) if room >= LEAST_BESIDE else ""
    outcome = f"{row.outcome:<10}"
    return (line.replace(outcome, page.paint(outcome, _COLOURS[row.outcome]), 1) + words).rstrip()


def _details(check: CheckResult, page: _Page) -> str:
    title = page.wrap(f"{check.id}: {check.title}", "  ").replace(check.id, page.paint(check.id, "1"), 1)
    return "\n".join([title, *(line for part in details(check) for line in _part(part, page))])


def _part(part: Part, page: _Page) -> list[str]:
    room = page.width - len(INDENT)
    match part:
        case Mismatch():
            return [page.wrap(reading_words(part))]
        case Location():
            return [page.wrap(place_words(part))]
        case Chart():
            return [page.wrap(chart_words(part)), *(INDENT + line for line in bar_lines(part, room))]
        case WrongWalk():
            return [INDENT + line for line in walk_lines(part, room)]
    return [page.wrap(part)] if part else []


def _foot(report: Report, later: list[str], page: _Page) -> str:
    if report.score is None:
        return page.wrap(no_score_words(report), "")
    following = page.wrap(next_step(report, page.only, watching=page.watching), "")
    if is_short(report):
        return following
    score = score_words(report)
    said = page.wrap(f"{score} for {page.only}." if page.only else f"{score}, {passed_words(report)}", "")
    lines = [said.replace(score, page.paint(score, "1"), 1)]
    lines += [page.wrap(words, "") for words in [*later, *caveats(report)]]
    return "\n".join([*lines, following])
