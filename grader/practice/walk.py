"""`grade walk`: the choice of a check, its trace in the terminal, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.render import escape_line, wrap
from grader.render.walk import is_cut, walk_text
from grader.render.words import grade_command_line, next_check, next_step
from grader.report import Outcome, with_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from grader.report import CheckResult, Report, Trace


def trace_check(grade: Callable[[bool | Collection[str]], Report], check: str | None) -> Report:
    """Return a report with the trace to show; without such a trace, with the traces of all checks.

    `grade` returns a report with the traces of the named checks, or, given True, of the failed checks.
    """
    report = grade(True if check is None else [check])
    found = choose_check(report, check)
    return report if found and found.trace else grade([each.id for each in report.checks])


def choose_check(report: Report, check: str | None) -> CheckResult | None:
    """Return the check of that name; without a name, the first check to look at."""
    if check is not None:
        return next(each for each in report.checks if each.id == check)
    return next(iter(_to_look_at(report)), None)


def _to_look_at(report: Report) -> list[CheckResult]:
    """Return the failed checks with a trace, the next one first, then blocked checks with a wrong step."""
    first = next_check(report)
    failed = [each for each in report.checks if each.outcome is Outcome.FAILED and each.trace]
    blocked = [each for each in report.checks if each.outcome is Outcome.BLOCKED and each.trace]
    wrong = [each for each in blocked if each.trace and each.trace.wrong is not None]
    return [*sorted(failed, key=lambda each: each is not first), *wrong]


def walk_page(
    report: Report, check: str | None, *, width: int = 80, colour: bool = False, whole: bool = False
) -> str:
    """Return the page of `grade walk`: the table and the next step, or the reason why there is no table."""
    report = with_texts(report, escape_line)
    found, table = choose_check(report, check), ""
    if found is None:
        why = "No failed check has a walk to show."
        lines = [why, *_offer(report, report.checks), next_step(report)]
    elif found.trace is None:
        none = [f"No check of {report.assignment.id} has a walk to show now."]
        lines = [_why_without(found), *(_offer(report, report.checks) or none)]
    else:
        table = walk_text(found, width=width, colour=colour, whole=whole) + "\n"
        lines = _below(report, found, found.trace, whole=whole)
    return table + "\n".join(wrap(line, width) for line in lines) + "\n"


def _below(report: Report, check: CheckResult, trace: Trace, *, whole: bool) -> list[str]:
    """Return the lines below a table; the last one is the next step."""
    command = f"grade walk {report.assignment.id} {check.id} {report.submission.argument}".rstrip()
    lines = [f"`{command} --all` shows every step."] if is_cut(trace) and not whole else []
    if check.outcome is Outcome.BLOCKED:
        lines.append(f"{check.id} is blocked: {check.message.removesuffix('.')}.")
    lines += _offer(report, (each for each in _to_look_at(report) if each is not check))
    if trace.wrong is not None:
        return [*lines, f"Next: look at step {trace.wrong + 1}, then run `{command}` again."]
    if check.outcome is Outcome.PASSED:
        return [*lines, "Every step is right." if trace.right else "The check passed."]
    same = ["No step differs from a right walk."] if trace.right else []
    return [*lines, *same, f"{grade_command_line(report, check.id)} says why the check did not pass."]


def _offer(report: Report, checks: Iterable[CheckResult]) -> list[str]:
    """Return a line with the command for the checks that have a trace, if any."""
    names = [each.id for each in checks if each.trace]
    name = names[0] if len(names) == 1 else "CHECK"
    command = f"grade walk {report.assignment.id} {name} {report.submission.argument}".rstrip()
    return [f"`{command}` shows the walk of {' or '.join(names)}."] if names else []


def _why_without(check: CheckResult) -> str:
    """Return the reason why a check has no trace."""
    if check.outcome is Outcome.UNGRADABLE:
        return f"{check.id} could not be graded: {check.message}"
    if check.outcome is Outcome.TODO:
        return f"{check.id} has no walk yet, because code that it needs is still to be written."
    if check.outcome is Outcome.BLOCKED:
        return f"{check.id} is blocked, so it has no walk yet: {check.message.removesuffix('.')}."
    return f"There is no walk of {check.id} to show."
