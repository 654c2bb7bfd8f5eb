"""The report in a terminal: one line a check, then what is wrong, the next step last."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.render.inert import one_line
from grader.render.words import (
    advisory_words,
    chart_words,
    file_words,
    left_open,
    mistake_words,
    no_score_words,
    number,
    passed_words,
    place_words,
    reading_words,
    score_words,
)
from grader.report import Outcome, weakness, with_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import Chart, CheckResult, ReadingNote, Report

INDENT = " " * 4
LEAST_BESIDE = 14  # columns beside a check, below which a terminal is too narrow for words there
NEXT = 60  # columns of what a student wrote, in the line that says what to do next
_BAR, _AXIS = "█", "│"
_COLOURS = {
    Outcome.PASSED: "32",
    Outcome.FAILED: "31",
    Outcome.BLOCKED: "33",
    Outcome.TODO: "36",
    Outcome.UNGRADABLE: "35",
}


@dataclass(frozen=True)
class _Page:
    width: int
    colour: bool
    id_width: int
    only: str | None = None
    watching: bool = False

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def wrap(self, text: str, indent: str = INDENT) -> str:
        return wrapped(text, self.width, indent)


def render_terminal(
    report: Report,
    *,
    width: int = 80,
    colour: bool = False,
    now: dt.datetime | None = None,
    only: str | None = None,
    watching: bool = False,
    brief: bool = False,
) -> str:
    """The report for a terminal of `width` columns; `now` is what ages are counted from.

    `only` is the one check that was asked for, `watching` says that a save is enough to grade again, and
    `brief` puts one line in the place of the checks that pass or wait.
    """
    report = with_texts(report, one_line)
    longest = max((len(check.id) for check in report.checks), default=0)
    page = _Page(max(32, min(width, 100)), colour, longest, only, watching)
    parts = [_head(report, page, now or dt.datetime.now(dt.UTC))]
    if report.notes:
        notes = "\n".join(page.wrap(note) for note in report.notes)
        parts.append(f"While the cells ran:\n{notes}")
    parts.append("\n".join(_rows(report, page, brief=brief)))
    told: dict[str, str] = {}  # mistake -> the check that it is explained at
    alone = len(report.checks) == 1
    parts += [
        _details(check, page, told) for check in report.checks if is_in_detail(check, told, alone=alone)
    ]
    parts.append(_foot(report, page))
    return "\n\n".join(parts) + "\n"


def is_in_detail(check: CheckResult, told: dict[str, str], *, alone: bool) -> bool:
    """What failed, what is blocked but has a mistake of its own, and the chart of a single check."""
    if check.outcome is Outcome.PASSED:
        return alone and check.chart is not None
    if check.outcome is Outcome.BLOCKED:
        return any(mistake.id not in told for mistake in check.mistakes)
    return check.outcome in (Outcome.FAILED, Outcome.UNGRADABLE)


def _head(report: Report, page: _Page, now: dt.datetime) -> str:
    name, file = report.assignment, report.submission
    title = page.paint(page.wrap(f"{name.id}  {name.title}", ""), "1")
    if report.advisory:
        return f"{title}\n{page.wrap(file_words(file.path), '')}"
    saved = _age(dt.datetime.fromisoformat(file.modified), now)
    return f"{title}\n{page.wrap(f'{file.path}, saved {saved}', '')}"


def _age(then: dt.datetime, now: dt.datetime) -> str:
    seconds = (now - then).total_seconds()
    if seconds < 0 or seconds > 7 * 86_400:
        return f"on {then.astimezone():%Y-%m-%d at %H:%M}"
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''} ago"
    return "just now" if seconds < 10 else f"{int(seconds)} seconds ago"


def _rows(report: Report, page: _Page, *, brief: bool) -> list[str]:
    left_out = (Outcome.PASSED, Outcome.BLOCKED) if brief else ()
    rows = [_row(check, page) for check in report.checks if check.outcome not in left_out]
    counts = [(o, sum(check.outcome is o for check in report.checks)) for o in left_out]
    if said := ", ".join(f"{count} {outcome}" for outcome, count in counts if count):
        rows.append(f"  {said}")
    return rows


def _row(check: CheckResult, page: _Page) -> str:
    points = f"{check.score:g}/{check.max_score:g}"
    name = f"  {check.outcome:<10} {check.id:<{page.id_width}} {points:>7}  "
    beside = check.message if check.outcome in (Outcome.TODO, Outcome.BLOCKED) else check.title
    room = page.width - len(name)
    words = _shortened(beside, room) if room >= LEAST_BESIDE else ""
    outcome = f"{check.outcome:<10}"
    return (name.replace(outcome, page.paint(outcome, _COLOURS[check.outcome]), 1) + words).rstrip()


def _details(check: CheckResult, page: _Page, told: dict[str, str]) -> str:
    lines = [page.wrap(f"{check.id}: {check.title}", "  ").replace(check.id, page.paint(check.id, "1"), 1)]
    if check.message:
        lines.append(page.wrap(check.message))
    lines += [_reading(row, page) for row in check.readings]
    if check.chart:
        lines += _bars(check.chart, page)
    lines += [page.wrap(words) for words in mistake_words(check, told)]
    lines += [page.wrap(place_words(where)) for where in check.frames or filter(None, [check.where])]
    return "\n".join(filter(None, lines))


def _reading(row: ReadingNote, page: _Page) -> str:
    return page.wrap(reading_words(row))


def _bars(chart: Chart, page: _Page) -> list[str]:
    """One line a value: to the left of the axis what lowers the output, to the right what raises it."""
    rows = [(_shortened(bar.label, 12), number(bar.value), bar.value) for bar in chart.bars]
    rows = [row for row in rows if math.isfinite(row[2])]
    names, numbers = (
        max((_columns(row[0]) for row in rows), default=0),
        max((len(row[1]) for row in rows), default=0),
    )
    half = min(20, (page.width - len(INDENT) - names - numbers - 5) // 2)
    largest = max((abs(row[2]) for row in rows), default=0)
    lines = [page.wrap(chart_words(chart))]
    for name, told, value in rows:
        length = max(1, round(half * (abs(value) / largest))) if value else 0
        left, right = (_BAR * length, "") if value < 0 else ("", _BAR * length)
        blanks = " " * (names - _columns(name))
        lines.append(f"{INDENT}{name}{blanks}  {told:>{numbers}}  {left:>{half}}{_AXIS}{right}")
    return lines


def _foot(report: Report, page: _Page) -> str:
    if report.score is None:
        return page.wrap(no_score_words(report), "")
    score = score_words(report)
    points = page.wrap(f"{score} for {page.only}." if page.only else f"{score}, {passed_words(report)}", "")
    lines = [points.replace(score, page.paint(score, "1"), 1)]
    lines += [page.wrap(words, "") for words in left_open(report)]
    if report.advisory:
        return "\n".join([*lines, page.wrap(advisory_words(report), ""), page.wrap(next_step(report), "")])
    if not report.hidden_checks and report.outcome is not Outcome.PASSED:
        lines.append("Hidden checks run when you push.")
    if weak := weakness(report.grader.isolation):
        missing = f"{' and '.join(weak)} {'is' if len(weak) == 1 else 'are'} missing here"
        lines.append(page.wrap(f"Graded without a closed jail: {missing} (`grade doctor` says why).", ""))
    return "\n".join([*lines, page.wrap(next_step(report, page.only, watching=page.watching), "")])


def next_step(report: Report, only: str | None = None, *, watching: bool = False) -> str:
    """What to do now, as a sentence; `only` is the one check that was graded, `watching` grades at each save."""
    name = report.assignment.id
    again = f", then `grade {name}{f' --check {only}' if only else ''}` again"
    for outcome in (Outcome.FAILED, Outcome.TODO):
        for check in report.checks:
            if check.outcome is outcome:
                what = "look at" if outcome is Outcome.FAILED else "write"
                rest = f" ({_shortened(check.message, NEXT)})" if outcome is Outcome.TODO else ""
                if report.advisory:
                    again = f', then run its cell and `check("{check.id}")` again'
                return f"Next: {what} {check.id}{rest}{' and save' if watching else again}."
    if report.advisory:
        return f"Next: save the notebook, then `grade {name}`."
    if only:
        hidden = "" if report.hidden_checks else " here; its hidden tests run when you push"
        return f"{only} passes{hidden}. Next: `grade {name}` for every check."
    if not report.hidden_checks:
        return "Next: push, and the hidden checks have their say."
    return "Nothing is left to do here; `grade` shows the other assignments."


# --- Columns


def wrapped(text: str, width: int, indent: str = "") -> str:
    """The text in lines of at most `width` columns, each after the indent."""
    return "\n".join(indent + line for line in _lines(text, width - len(indent)))


def _lines(text: str, room: int) -> list[str]:
    """The text in lines of at most `room` columns; only a word that has no room in one is cut."""
    lines: list[str] = []
    for gap, word in re.findall(r"( *)(`grade [^`]{1,40}`[^ ]*|[^ ]+)", text):  # a command is not parted
        if lines and _columns(lines[-1] + gap + word) <= room:
            lines[-1] += gap + word
        else:
            lines += _pieces(word, room)
    return lines


def _pieces(word: str, room: int) -> Iterator[str]:
    """A word in pieces that each begin a line, where a CI runner obeys what begins with `::`."""
    while word:
        word = f": {word[1:]}" if word.startswith("::") else word
        ends = itertools.accumulate(map(_columns, word))
        end = max(1, sum(1 for _ in itertools.takewhile(room.__ge__, ends)))
        if end < len(word):
            end = word.rfind("/", 0, end) + 1 or end  # a path is cut between its names
        yield word[:end]
        word = word[end:]


def _shortened(text: str, room: int) -> str:
    """As many of its words as have room in one line, and dots for the rest."""
    text = " ".join(text.split())
    lines = _lines(text, room)
    return "".join(lines) if len(lines) < 2 else f"{_lines(text, room - 4)[0]} ..."


def _columns(text: str) -> int:
    """How many columns of a terminal a text takes: two for a wide character, none for an accent."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.category(c) in {"Mn", "Me"} else 1 + (unicodedata.east_asian_width(c) in "WF")
        for c in text
    )
