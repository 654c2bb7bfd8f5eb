"""The report in a terminal: one line a check, then what is wrong, the next step last."""

from __future__ import annotations

import datetime as dt
import itertools
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.render.inert import one_line
from grader.report import Outcome, weakness, with_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import CheckResult, ReadingNote, Report, Where

INDENT = " " * 4
NEXT = 60  # columns of what a student wrote, in the line that says what to do next
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

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def wrap(self, text: str, indent: str = INDENT) -> str:
        return "\n".join(indent + line for line in _lines(text, self.width - len(indent)))


def render_terminal(
    report: Report, *, width: int = 80, colour: bool = False, now: dt.datetime | None = None
) -> str:
    """The report for a terminal of `width` columns; `now` is what ages are counted from."""
    report = with_texts(report, one_line)
    longest = max((len(check.id) for check in report.checks), default=0)
    page = _Page(max(40, min(width, 100)), colour, longest)
    parts = [_head(report, page, now or dt.datetime.now(dt.UTC))]
    if report.notes:
        notes = "\n".join(page.wrap(note) for note in report.notes)
        parts.append(f"While the cells ran:\n{notes}")
    parts.append("\n".join(_row(check, page) for check in report.checks))
    told: dict[str, str] = {}  # mistake -> the check that it is explained at
    parts += [_details(check, page, told) for check in report.checks if _in_detail(check, told)]
    parts.append(_foot(report, page))
    return "\n\n".join(parts) + "\n"


def _in_detail(check: CheckResult, told: dict[str, str]) -> bool:
    """What failed, and what is blocked but has a mistake of its own."""
    if check.outcome is Outcome.BLOCKED:
        return any(mistake.id not in told for mistake in check.mistakes)
    return check.outcome in (Outcome.FAILED, Outcome.UNGRADABLE)


def _head(report: Report, page: _Page, now: dt.datetime) -> str:
    name, file = report.assignment, report.submission
    saved = _age(dt.datetime.fromisoformat(file.modified), now)
    title = page.paint(page.wrap(f"{name.id}  {name.title}", ""), "1")
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


def _row(check: CheckResult, page: _Page) -> str:
    points = f"{check.score:g}/{check.max_score:g}"
    name = f"  {check.outcome:<10} {check.id:<{page.id_width}} {points:>7}  "
    beside = check.message if check.outcome in (Outcome.TODO, Outcome.BLOCKED) else check.title
    room = max(16, page.width - len(name))
    outcome = f"{check.outcome:<10}"
    return name.replace(outcome, page.paint(outcome, _COLOURS[check.outcome]), 1) + _shortened(beside, room)


def _details(check: CheckResult, page: _Page, told: dict[str, str]) -> str:
    lines = [page.wrap(f"{check.id}: {check.title}", "  ").replace(check.id, page.paint(check.id, "1"), 1)]
    if check.message:
        lines.append(page.wrap(check.message))
    lines += [_reading(row, page) for row in check.readings]
    for mistake in check.mistakes:
        first = told.setdefault(mistake.id, check.id)
        words = mistake.text if first == check.id else f"The same mistake as in {first}."
        lines.append(page.wrap(words))
    lines += [page.wrap(_place(where)) for where in check.frames or filter(None, [check.where])]
    return "\n".join(filter(None, lines))


def _reading(row: ReadingNote, page: _Page) -> str:
    given = f"  (with {row.given})" if row.given else ""
    label = row.label or "what was read"
    return page.wrap(f"{label} is {row.actual}, expected {row.expected}{given}")


def _place(where: Where) -> str:
    """A line of the student's, and the function around it where the line does not name it."""
    cell = f"cell {where.cell}, " if where.cell and where.file.endswith(".ipynb") else ""
    named = not where.inside or f"def {where.inside.rpartition('.')[2]}(" in where.text
    inside = "" if named and "." not in where.inside else f"  (in {where.inside})"
    return f"{where.file}, {cell}line {where.line}:  {where.text}{inside}"


def _foot(report: Report, page: _Page) -> str:
    if report.score is None:
        broken = [check.id for check in report.checks if check.outcome is Outcome.UNGRADABLE]
        return page.wrap(
            f"No score: {', '.join(broken)} could not be graded. This is not your fault; "
            "tell your instructor what stands above.",
            "",
        )
    passed = sum(check.outcome is Outcome.PASSED for check in report.checks)
    of = len(report.checks)
    kind = "" if report.hidden_checks else "visible "
    score = page.paint(f"{report.score:g} of {report.max_score:g} points", "1")
    lines = [f"{score}, {passed} of {of} {kind}checks passed."]
    if not report.hidden_checks and report.outcome is not Outcome.PASSED:
        lines.append("Hidden checks run when you push.")
    if weak := weakness(report.grader.isolation):
        missing = f"{' and '.join(weak)} {'is' if len(weak) == 1 else 'are'} missing here"
        lines.append(page.wrap(f"Graded without a closed jail: {missing} (`grade doctor` says why).", ""))
    return "\n".join([*lines, page.wrap(_next_step(report), "")])


def _next_step(report: Report) -> str:
    for outcome in (Outcome.FAILED, Outcome.TODO):
        for check in report.checks:
            if check.outcome is outcome:
                what = "look at" if outcome is Outcome.FAILED else "write"
                rest = f" ({_shortened(check.message, NEXT)})" if outcome is Outcome.TODO else ""
                return f"Next: {what} {check.id}{rest}, then `grade {report.assignment.id}` again."
    if not report.hidden_checks:
        return "Next: push, and the hidden checks have their say."
    return "Nothing is left to do here; `grade` shows the other assignments."


# --- Columns


def _lines(text: str, room: int) -> list[str]:
    """The text in lines of at most `room` columns; only a word that has no room in one is cut."""
    lines: list[str] = []
    for gap, word in re.findall(r"( *)([^ ]+)", text):
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
