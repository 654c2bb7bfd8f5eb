"""The sentences that the formats share, and the choice of checks that are shown in detail.

These functions get a report whose texts are escaped already.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from grader.render.layout import RIGHT, STUDENT, at, has_orders, short_number, steps_of
from grader.report import IN_PAGE, Chart, Location, Mismatch, Outcome, WrongWalk, round_score, weakness

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from grader.report import CheckResult, Report, WrongRule

    Part: TypeAlias = str | Mismatch | Chart | WrongWalk | Location

MOST_RULES = 4  # shown for one check
BLANK = "raise NotImplementedError("  # the message has its text already


def is_short(report: Report) -> bool:
    """Return True for one check of a running session, shown below a cell: its line, details and next step are enough."""
    return report.advisory and len(report.checks) == 1


def file_words(path: str) -> str:
    """Return the words for a running session, with the name of its notebook if known."""
    return (
        f"{path}, with the values that your session has now"
        if path
        else "The values that your session has now"
    )


def details(check: CheckResult) -> Iterator[Part]:
    """Yield the parts of a check's explanation in order: sentences, and data that each format shows in its own way.

    An error comes first, and so does a message without readings, rules or a walk; then the sentence of the test comes last.
    """
    said = [check.message] if check.message else []
    asked = [f"Asked: {check.asked}"] if check.asked else []
    leads = said and (check.frames or not (check.readings or check.rules or check.walk))
    yield from said if leads else asked
    yield from check.frames
    yield from check.readings[:1] if _is_explained(check) else check.readings
    chart = None if _is_explained(check) else check.chart
    if chart and any(bar.value != 0 and math.isfinite(bar.value) for bar in chart.bars):
        yield chart
    yield from [] if leads else said
    for words, places in _rule_words(check):
        yield words
        yield from places
    yield from _walk_parts(check)
    yield from (mistake.text for mistake in check.mistakes)
    yield from check.why
    yield from (
        [check.where] if check.where and check.where not in [*check.frames, *_first_locations(check)] else []
    )
    yield from asked if leads else []


def _first_locations(check: CheckResult) -> list[Location]:
    """Return the first location of each rule, and of the walk."""
    found = [rule.where for rule in check.rules[:MOST_RULES]] + [check.walk.where if check.walk else None]
    return [where for where in found if where]


def _walk_parts(check: CheckResult) -> Iterator[Part]:
    walk = check.walk
    if walk is None:
        return
    yield walk.words
    if has_orders(walk):
        if walk.graph not in walk.words:
            yield f"On the graph {walk.graph}:"
        yield walk
    if walk.where and walk.where not in check.frames:
        yield from _in_order(walk.where, walk.more)


def reading_words(row: Mismatch, mark: Callable[[str], str] = str) -> str:
    """Return a sentence with the value that was read and the expected value; `mark` formats code."""
    given = f"  (with {mark(row.given)})" if row.given else ""
    label = mark(row.label) if row.label else "the value"
    return f"{label} is {mark(row.actual)}, expected {mark(row.expected)}{given}"


def _rule_words(check: CheckResult) -> list[tuple[str, list[Location]]]:
    """Return the words of a check's rules, each with its locations; the last of neighbours with equal locations has them.

    One cause may give a rule for each input with the same words; they are shown once.
    """
    rules = {rule.words: rule for rule in reversed(check.rules)}
    shown = [rules[words] for words in dict.fromkeys(rule.words for rule in check.rules)]
    rest, shown = len(shown) - MOST_RULES, shown[:MOST_RULES]
    places = [_unless_nearer(rule, check) for rule in shown]
    following = [*places, []][1:]
    lines = [
        (rule.words, [] if where == after else where)
        for rule, where, after in zip(shown, places, following, strict=True)
    ]
    more = f"More wrong rules in this check: {rest}. Fix those above first."
    return [*lines, (more, [])] if rest > 0 else lines


def _unless_nearer(rule: WrongRule, check: CheckResult) -> list[Location]:
    """Return the locations of a rule, or none if the check also shows another line of the same function."""
    where = rule.where
    if where is None:
        return []
    around, shown = (where.file, where.cell, where.inside), _first_locations(check)
    others = [*check.frames, *([check.where] if check.where and check.where not in shown else [])]
    nearer = any((other.file, other.cell, other.inside) == around for other in others)
    return [] if where.inside and nearer else _in_order(where, rule.more)


def _in_order(where: Location, more: Sequence[Location]) -> list[Location]:
    return sorted([where, *more], key=lambda place: place.line)


def _is_explained(check: CheckResult) -> bool:
    """Return True if a rule, a walk or a mistake of the course explains the failure."""
    return bool(check.rules or check.walk or any(fact.kind == "mistake" for fact in check.facts))


def place_words(where: Location, mark: Callable[[str], str] = str) -> str:
    """Return a line of the student's code: file, cell, number, source, and the function unless the source names it."""
    part = f"{where.part}, " if where.part else ""
    named = not where.inside or f"def {where.inside.rpartition('.')[2]}(" in where.text
    inside = "" if named and "." not in where.inside else f"  (in {mark(where.inside)})"
    text = "" if where.text.startswith(BLANK) else f":  {mark(where.text)}"
    return f"{mark(where.file)}, {part}line {where.line}{text}{inside}"


def chart_words(chart: Chart) -> str:
    """Return the title of a chart, with its input values."""
    return f"{chart.title}{f' with {chart.given}' if chart.given else ''}:"


def points_text(value: float) -> str:
    """Return points in figures, with up to two decimal places.

    >>> points_text(7.5), points_text(10.0)
    ('7.5', '10')
    """
    return f"{value:.10g}"  # `:g` gives only six figures


def score_words(report: Report) -> str:
    """Return the points of a report, which must have a score."""
    assert report.score is not None
    if report.outcome is Outcome.MANUAL:
        return "No points yet"
    return f"{points_text(report.score)} of {points_text(report.max_score)} points"


def _left_open(report: Report) -> list[str]:
    """Return the passed checks that are judged only in part because hidden checks are absent, a line for each reason."""
    names: dict[str, list[str]] = {}
    for check in report.checks if len(report.checks) > 1 else []:  # a single one is shown in full
        if check.outcome is Outcome.PASSED and check.message:
            names.setdefault(check.message, []).append(check.id)
    return [f"{', '.join(ids)}: {why}" for why, ids in names.items()]


def _why_words(report: Report) -> list[str]:
    """Return the line about the command that explains right answers, once all of several checks passed."""
    names = [check.id for check in report.checks if check.why]
    if not names or len(report.checks) == 1 or report.outcome is not Outcome.PASSED:
        return []
    if IN_PAGE in report.grader.isolation:
        return [f"Check one of these by itself to see why your answers are right: {', '.join(names)}."]
    return [f"{_check_command(report, names)} explains why your answers are right in {', '.join(names)}."]


def grade_command_line(report: Report, check: str | None = None) -> str:
    """Return the command that grades the same file again, or one check of it."""
    parts = [report.assignment.id, report.submission.argument, f"--check {check}" if check else ""]
    return f"`grade {' '.join(filter(None, parts))}`"


def _check_command(report: Report, names: Sequence[str]) -> str:
    return grade_command_line(report, names[0] if len(names) == 1 else "CHECK")


def passed_words(report: Report) -> str:
    """Return a sentence with the number of passed checks, without manual ones."""
    passed = sum(check.outcome is Outcome.PASSED for check in report.checks)
    kind = "" if report.hidden_checks else "visible "
    return f"{passed} of {len(report.judged)} {kind}checks passed."


def waiting_words(report: Report) -> list[str]:
    """Return a line about the points that an instructor still gives, if any."""
    names = ", ".join(check.id for check in report.waiting)
    return (
        [f"Your instructor grades {names}, for up to {points_text(report.waiting_points)} points."]
        if names
        else []
    )


def caveats(report: Report) -> list[str]:
    """Return the limits of the points: checks that were not judged, and missing protections."""
    lines = [*_left_open(report), *waiting_words(report)]
    if report.advisory:
        return [
            *lines,
            f"This is advice, not a grade: it used your running session. {grade_command_line(report)} grades the saved file.",
        ]
    lines += _why_words(report)
    if not report.hidden_checks and report.outcome not in (Outcome.PASSED, Outcome.MANUAL):
        lines.append("Hidden checks run when your instructor grades.")
    return lines + record_caveats(report)


def record_caveats(report: Report) -> list[str]:
    """Return the limits of the points below a final grade: no hints, and nothing about later gradings."""
    weak = weakness(report.grader.isolation)
    if report.score is None or not weak:
        return []
    missing = f"{' and '.join(weak)} {'is' if len(weak) == 1 else 'are'} missing there"
    return [
        f"The machine that graded this could not fully confine the code, because {missing}. `grade doctor` on that machine says why."
    ]


def no_score_words(report: Report) -> str:
    """Return a sentence with the checks that the grader could not grade, and the next step."""
    broken = [check.id for check in report.checks if check.outcome is Outcome.UNGRADABLE]
    return (
        f"No score: {', '.join(broken)} could not be graded. This is not your fault; "
        "show your instructor the message above."
    )


class ReportRow(NamedTuple):
    """One line of a report: a check, or several of one outcome."""

    outcome: Outcome
    name: str
    score: float
    max_score: float
    words: str

    @property
    def worth(self) -> str:
        """The points and their maximum; a dash where an instructor still gives them."""
        score = "-" if self.outcome is Outcome.MANUAL else points_text(self.score)
        return f"{score}/{points_text(self.max_score)}"


def rows_of(report: Report, *, compact: bool = False) -> list[ReportRow]:
    """Return the lines of a report: one for each check, but one line for all that are blocked, and one for all todo.

    Manual checks come last. With `compact`, one line summarises all checks that passed. A single check that is shown in full
    has its title there.
    """
    if len(report.checks) == 1 and in_detail(report):
        return [_row_of(report.checks[0])._replace(words="")]
    together = {Outcome.BLOCKED: "wait for other checks", Outcome.TODO: "still to write"}
    together |= {Outcome.PASSED: ""} if compact else {}
    first, rows = next_check(report), list[ReportRow]()
    rest: dict[Outcome, list[CheckResult]] = {outcome: [] for outcome in together}
    for check in report.judged:
        if check.outcome in rest and check is not first:
            rest[check.outcome].append(check)
        else:
            rows.append(_row_of(check))
    for outcome, checks in rest.items():
        if len(checks) > 1:
            score, most = (
                round_score(sum(sizes))
                for sizes in zip(*((c.score, c.max_score) for c in checks), strict=True)
            )
            rows.append(ReportRow(outcome, f"{len(checks)} checks", score, most, together[outcome]))
        else:
            rows += map(_row_of, checks)
    return [*rows, *map(_row_of, report.waiting)]


def _row_of(check: CheckResult) -> ReportRow:
    """Return the line of one check."""
    words = check.message if check.outcome is Outcome.BLOCKED else check.title
    return ReportRow(check.outcome, check.id, check.score, check.max_score, words)


def in_detail(report: Report) -> list[CheckResult]:
    """Return the checks that are shown in full, the next one first.

    These are all that failed or are ungradable, the next one to write, and a single passed one with a chart or reasons.
    """
    first = None if report.score is None else next_check(report)
    shown = [check for check in report.checks if check.outcome in (Outcome.FAILED, Outcome.UNGRADABLE)]
    if len(report.checks) == 1:
        shown = [
            check
            for check in report.checks
            if check.outcome is not Outcome.PASSED or check.chart or check.why or check.message
        ]
    return [*([first] if first else []), *(check for check in shown if check is not first)]


def one_at_a_time(report: Report) -> tuple[list[CheckResult], list[str]]:
    """Return the next check and the ungradable ones, to show in full, and a line about the checks left for later."""
    found = in_detail(report)
    shown = [c for i, c in enumerate(found) if i == 0 or c.outcome is Outcome.UNGRADABLE]
    rest = [check.id for check in found if check not in shown]
    if not rest:
        return shown, []
    return shown, [f"{_check_command(report, rest)} explains {', '.join(rest)}."]


def next_step(report: Report, only: str | None = None, *, watching: bool = False) -> str:
    """Return a sentence with the next step; `only` is the one check that was graded, `watching` grades at each save."""
    if IN_PAGE in report.grader.isolation:
        return _next_in_page(report)
    again = f", then run {grade_command_line(report, only)} again"
    if check := next_check(report):
        verb = "look at" if check.outcome is Outcome.FAILED else "work on"
        if report.advisory:
            again = f', then run its cell and `check("{check.id}")` again'
        return f"Next: {verb} {check.id}{' and save' if watching else again}."
    if only and report.waiting:
        return f"Next: run {grade_command_line(report)} for all checks."
    if report.advisory:
        return f"Next: {'go on, or ' if is_short(report) else ''}save the notebook and run {grade_command_line(report)}."
    if only:
        hidden = "" if report.hidden_checks else " here; its hidden tests run when your instructor grades"
        return f"{only} passes{hidden}. Next: run {grade_command_line(report)} for all checks."
    if not report.hidden_checks:
        return "Next: push your work if you have not; the hidden checks run when your instructor grades."
    if report.reference not in {"", report.submission.path}:
        return f"Next: compare your code with {report.reference}; `grade` shows the other assignments."
    return "Nothing is left to do here; `grade` shows the other assignments."


def _next_in_page(report: Report) -> str:
    """Return the next step on a page with buttons."""
    if check := next_check(report):
        verb = "look at" if check.outcome is Outcome.FAILED else "work on"
        return f"Next: {verb} {check.id}, then check it again."
    if len(report.checks) == 1:
        return f"{report.checks[0].id} passes. Next: go on, or “Check all”."
    return "Next: “Save notebook”, and hand in the file; the hidden checks run when your instructor grades."


def next_check(report: Report) -> CheckResult | None:
    """Return the first failed check, else the first todo, or the check that explains its cause."""
    for outcome in (Outcome.FAILED, Outcome.TODO):
        for check in report.checks:
            if check.outcome is outcome:
                return next((other for other in report.checks if other.id == check.see), check)
    return None


# --- Whole lines, of any length: for formats whose readers break lines themselves


def check_lines(check: CheckResult) -> list[str]:
    """Return the lines about a check."""
    return [line for part in details(check) for line in _lines_of(part, check)]


def _lines_of(part: Part, check: CheckResult) -> list[str]:
    match part:
        case Mismatch():
            return [reading_words(part)]
        case Location():
            return [place_words(part)]
        case WrongWalk():
            return _order_lines(part)
        case Chart():
            bars = [
                f"  {bar.label}: {short_number(bar.value)}" for bar in part.bars if math.isfinite(bar.value)
            ]
            return [] if check.outcome is Outcome.PASSED else [chart_words(part), *bars]
    return [part]


def _order_lines(walk: WrongWalk) -> list[str]:
    """Return the two orders of a walk in lines of any length, for a proportional font."""
    lines, steps = list[str](), steps_of(walk)
    for title, names in ((RIGHT, [s.right for s in steps]), (STUDENT, [s.student for s in steps])):
        lines.append(f"  {title}: {', '.join(filter(None, names)) or 'none'}")
    if walk.wrong is not None:
        name = at(walk.student, walk.wrong)
        lines.append(
            f"  your first wrong step is number {walk.wrong + 1}, {name}"
            if name
            else f"  a call is missing after your step {len(walk.student)}"
        )
    return lines


def report_lines(report: Report) -> list[str]:
    """Return the lines about the whole report: notes on the cells, points, their limits, the next step."""
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
