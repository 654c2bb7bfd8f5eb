"""The sentences that the terminal and the notebook share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.report import Outcome

if TYPE_CHECKING:
    from grader.report import Chart, CheckResult, ReadingNote, Report, Where


def file_words(path: str) -> str:
    """Which session was judged in place, by the name of its notebook where that is known."""
    return f"{path}, as this session holds it now" if path else "What this session holds now"


def reading_words(row: ReadingNote) -> str:
    """What was read and what it should have been, as a sentence."""
    given = f"  (with {row.given})" if row.given else ""
    return f"{row.label or 'what was read'} is {row.actual}, expected {row.expected}{given}"


def mistake_words(check: CheckResult, told: dict[str, str]) -> list[str]:
    """The words of its mistakes, those explained at an earlier check first; `told` remembers where."""
    firsts = [(mistake, told.setdefault(mistake.id, check.id)) for mistake in check.mistakes]
    new = [mistake.text for mistake, first in firsts if first == check.id]
    end = ", and another one:" if new else "."
    known = dict.fromkeys(first for _, first in firsts if first != check.id)
    return [*([f"The same mistake as in {' and '.join(known)}{end}"] if known else []), *new]


def place_words(where: Where) -> str:
    """A line of the student's, what stands there, and the function around it where the line does not name it."""
    cell = f"cell {where.cell}, " if where.cell and where.file.endswith(".ipynb") else ""
    named = not where.inside or f"def {where.inside.rpartition('.')[2]}(" in where.text
    inside = "" if named and "." not in where.inside else f"  (in {where.inside})"
    return f"{where.file}, {cell}line {where.line}:  {where.text}{inside}"


def chart_words(chart: Chart) -> str:
    """What the bars are, and of what."""
    return f"{chart.title}{f' with {chart.given}' if chart.given else ''}:"


def number(value: float) -> str:
    """A number in a few characters."""
    return f"{value or 0.0:.6g}"  # -0.0 is 0


def score_words(report: Report) -> str:
    """The points, without the word."""
    return f"{report.score:g} of {report.max_score:g} points"


def left_open(report: Report) -> list[str]:
    """Where all that could be judged passes: what could not, for the hidden checks are absent."""
    if report.outcome is not Outcome.PASSED:
        return []
    passed = [check for check in report.checks if check.outcome is Outcome.PASSED and check.message]
    return [f"{check.id} is judged only in part here: {check.message}" for check in passed]


def passed_words(report: Report) -> str:
    """How many checks passed, and of which."""
    passed = sum(check.outcome is Outcome.PASSED for check in report.checks)
    kind = "" if report.hidden_checks else "visible "
    return f"{passed} of {len(report.checks)} {kind}checks passed."


def advisory_words(report: Report) -> str:
    """What a live namespace cannot tell."""
    return (
        "This is advisory: it looked at what this session holds now, without a jail. "
        f"`grade {report.assignment.id}` decides, from the saved file."
    )


def no_score_words(report: Report) -> str:
    """The grader's own fault, and whom to tell."""
    broken = [check.id for check in report.checks if check.outcome is Outcome.UNGRADABLE]
    return (
        f"No score: {', '.join(broken)} could not be graded. This is not your fault; "
        "tell your instructor what stands above."
    )
