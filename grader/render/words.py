"""The sentences that the formats share, and the checks that they tell in detail.

The texts of a report are escaped before they come in here.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from grader.render.layout import RIGHT, STUDENT, at, has_orders, number, shortened, steps_of
from grader.report import Outcome, weakness

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.report import Chart, CheckResult, ReadingNote, Report, WalkNote, Where

NEXT = 120  # columns of what a student wrote, in the line that says what to do next
MOST_RULES = 4  # of one check that are told


def file_words(path: str) -> str:
    """Which session was judged in place, by the name of its notebook where that is known."""
    return f"{path}, as this session holds it now" if path else "What this session holds now"


def reading_words(row: ReadingNote, mark: Callable[[str], str] = str) -> str:
    """What was read and what it should have been, as a sentence; `mark` makes code of what was read."""
    given = f"  (with {mark(row.given)})" if row.given else ""
    label = mark(row.label) if row.label else "what was read"
    return f"{label} is {mark(row.actual)}, expected {mark(row.expected)}{given}"


def shown_readings(check: CheckResult) -> list[ReadingNote]:
    """Its readings; one of them where a rule or a walk says what made them."""
    return check.readings[:1] if is_explained(check) else check.readings


def rule_words(check: CheckResult) -> list[tuple[str, Where | None]]:
    """The words of its rules, each with its place; the place of several in a row stands at the last of them.

    One cause may have a rule for each input, and the same words for both.
    """
    rules = {rule.words: rule for rule in reversed(check.rules)}
    shown = [rules[words] for words in dict.fromkeys(rule.words for rule in check.rules)]
    rest, shown = len(shown) - MOST_RULES, shown[:MOST_RULES]
    places = [_unless_nearer(rule.where, check) for rule in shown]
    following = [*places, None][1:]
    told = [
        (rule.words, None if where == after else where)
        for rule, where, after in zip(shown, places, following, strict=True)
    ]
    return [*told, (f"{rest} more of its rules are wrong: mend these first.", None)] if rest > 0 else told


def _unless_nearer(where: Where | None, check: CheckResult) -> Where | None:
    """A place, unless the check tells another line in the same function."""
    if where is None or not where.inside:
        return where
    around = (where.file, where.cell, where.inside)
    others = [other for other in _own_places(check) if other.line != where.line]
    return None if any((o.file, o.cell, o.inside) == around for o in others) else where


def mistake_words(check: CheckResult) -> list[str]:
    """The words of its mistakes; of a check that passed, why its answers are right."""
    return [*(mistake.text for mistake in check.mistakes), *check.why]


def is_explained(check: CheckResult) -> bool:
    """True where a rule or a walk was read back."""
    return bool(check.rules or check.walk)


def last_places(check: CheckResult) -> list[Where]:
    """The places that stand below everything: those that no rule and no walk has told."""
    told = [rule.where for rule in check.rules[:MOST_RULES]] + [check.walk.where if check.walk else None]
    return [where for where in _own_places(check) if where not in told]


def _own_places(check: CheckResult) -> list[Where]:
    return list(check.frames or filter(None, [check.where]))


def place_words(where: Where, mark: Callable[[str], str] = str) -> str:
    """A line of the student's, what stands there, and the function around it where the line does not name it."""
    cell = f"cell {where.cell}, " if where.cell and where.file.endswith(".ipynb") else ""
    named = not where.inside or f"def {where.inside.rpartition('.')[2]}(" in where.text
    inside = "" if named and "." not in where.inside else f"  (in {mark(where.inside)})"
    return f"{mark(where.file)}, {cell}line {where.line}:  {mark(where.text)}{inside}"


def chart_words(chart: Chart) -> str:
    """What the bars are, and of what."""
    return f"{chart.title}{f' with {chart.given}' if chart.given else ''}:"


def points(value: float) -> str:
    """Points in figures, with both decimal places where there are some; `:g` has six figures in all."""
    return f"{value:.10g}"


def score_words(report: Report) -> str:
    """The points of a report that has a score."""
    assert report.score is not None
    return f"{points(report.score)} of {points(report.max_score)} points"


def left_open(report: Report) -> list[str]:
    """Where all that could be judged passes: what could not, for the hidden checks are absent."""
    if report.outcome is not Outcome.PASSED:
        return []
    passed = [check for check in report.checks if check.outcome is Outcome.PASSED and check.message]
    return [f"{check.id} is judged only in part here: {check.message}" for check in passed]


def why_words(report: Report) -> list[str]:
    """Say where to read why right answers are right, in a report of several checks."""
    names = [check.id for check in report.checks if check.why]
    if not names or len(report.checks) == 1:
        return []
    return [
        f"Why your answers in {', '.join(names)} are right: `grade {report.assignment.id} --check {names[0]}`."
    ]


def passed_words(report: Report) -> str:
    """How many checks passed, and of which."""
    passed = sum(check.outcome is Outcome.PASSED for check in report.checks)
    kind = "" if report.hidden_checks else "visible "
    return f"{passed} of {len(report.checks)} {kind}checks passed."


def caveats(report: Report) -> list[str]:
    """What the points do not tell: what was not judged, and what was missing while it was."""
    lines = left_open(report)
    if report.advisory:
        return [*lines, advisory_words(report)]
    lines += why_words(report)
    if not report.hidden_checks and report.outcome is not Outcome.PASSED:
        lines.append("Hidden checks run when your instructor grades.")
    if weak := weakness(report.grader.isolation):
        missing = f"{' and '.join(weak)} {'is' if len(weak) == 1 else 'are'} missing here"
        lines.append(f"Graded without a closed jail: {missing} (`grade doctor` says why).")
    return lines


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


def is_in_detail(check: CheckResult, *, alone: bool) -> bool:
    """True for a check that failed or could not be graded, and for a single one that passed with something to say."""
    if check.outcome is Outcome.PASSED:
        return alone and (check.chart is not None or bool(check.why))
    return check.outcome in (Outcome.FAILED, Outcome.UNGRADABLE)


def next_step(report: Report, only: str | None = None, *, watching: bool = False) -> str:
    """What to do now, as a sentence; `only` is the one check that was graded, `watching` grades at each save."""
    name = report.assignment.id
    again = f", then `grade {name}{f' --check {only}' if only else ''}` again"
    if check := _first_to_mend(report):
        failed = check.outcome is Outcome.FAILED
        rest = "" if failed else f" ({shortened(check.message.removesuffix('.'), NEXT)})"
        if report.advisory:
            again = f', then run its cell and `check("{check.id}")` again'
        return (
            f"Next: {'look at' if failed else 'write'} {check.id}{rest}{' and save' if watching else again}."
        )
    if report.advisory:
        return f"Next: save the notebook, then `grade {name}`."
    if only:
        hidden = "" if report.hidden_checks else " here; its hidden tests run when your instructor grades"
        return f"{only} passes{hidden}. Next: `grade {name}` for every check."
    if not report.hidden_checks:
        return "Next: push it, if you have not; the hidden checks judge it when your instructor grades."
    return "Nothing is left to do here; `grade` shows the other assignments."


def _first_to_mend(report: Report) -> CheckResult | None:
    """The first check that failed, else the first to do; where its cause is told at another check, that one."""
    for outcome in (Outcome.FAILED, Outcome.TODO):
        for check in report.checks:
            if check.outcome is outcome:
                return next((other for other in report.checks if other.id == check.see), check)
    return None


# --- Whole lines, of any length: for formats whose readers break lines themselves


def told_words(walk: WalkNote) -> list[str]:
    """The words of a walk, and the graph where these do not name it."""
    unnamed = has_orders(walk) and walk.graph and walk.graph not in walk.words
    return [walk.words, *([f"On {walk.graph}:"] if unnamed else [])]


def walk_words(walk: WalkNote) -> list[str]:
    """A walk in lines of any length, whose columns nobody can align."""
    lines, steps = told_words(walk), steps_of(walk)
    if not has_orders(walk):
        return lines
    for title, names in ((RIGHT, [s.right for s in steps]), (STUDENT, [s.student for s in steps])):
        lines.append(f"  {title}: {', '.join(filter(None, names)) or 'none'}")
    if walk.wrong is not None:
        name = at(walk.student, walk.wrong)
        lines.append(
            f"  the first wrong step of yours is number {walk.wrong + 1}, {name}"
            if name
            else f"  a call is missing in yours after step {len(walk.student)}"
        )
    return lines


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
