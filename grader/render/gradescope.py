"""Gradescope's results.json, as its "Autograder Specifications" describe it.

Gradescope needs a `score` for the whole or for every test. A report without a score has neither, so that it
does not look like a grade: no full marks, and no silent 0. Its `output` says what happened. Every text has the format
`text`, which Gradescope escapes. The report has only the parts of hidden checks that the student may read, so
every test is visible; the output of the autograder itself is hidden. Students cannot see the score while a test is not
visible to them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from grader.render.escape import escape_line, json_page
from grader.render.words import check_lines, report_lines, waiting_words
from grader.report import Outcome, exact, round_score, with_texts

if TYPE_CHECKING:
    from grader.report import CheckResult, Report


SILENT = "The work is graded. You can read the result when your instructor publishes the grades."


def render_gradescope(report: Report, *, silent: bool = False) -> str:
    """Return the report as the text of /autograder/results/results.json.

    With `silent`, students read nothing of the result before the grades are published.
    """
    report = with_texts(report, escape_line)
    visibility = "after_published" if silent else "visible"
    results: dict[str, Any] = {
        "execution_time": round(report.seconds),  # finer, it would tell what a hidden jail wants to say
        "output": SILENT if silent else "\n".join(_lines(report)),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "extra_data": {
            "assignment": report.assignment.id,
            "outcome": report.outcome,
            "checks": {check.id: check.outcome for check in report.checks},
        },
    }
    if report.score is not None:
        tests = [_test(i, check, visibility) for i, check in enumerate(report.checks, 1)]
        results = {"score": report.score, **results, "tests": tests}
    return json_page(results)


def _lines(report: Report) -> list[str]:
    """Return the lines about the whole report; as in Gradescope, the maximum counts only tests with a score."""
    if not report.waiting:
        return report_lines(report)
    most = round_score(sum((exact(check.max_score) for check in report.judged), Fraction()))
    judged = replace(report, checks=report.judged, max_score=most)
    return [*report_lines(judged), *waiting_words(report)]


def _test(number: int, check: CheckResult, visibility: str) -> dict[str, Any]:
    """Return a test; a manual check has neither score nor status, because it neither passed nor failed."""
    judged = {
        "status": "passed" if check.outcome is Outcome.PASSED else "failed",
        "score": check.score,
        "max_score": check.max_score,
    }
    return {
        "name": f"{check.id}: {check.title}",
        "name_format": "text",
        "number": str(number),
        **(judged if check.outcome is not Outcome.MANUAL else {}),
        "output": "\n".join(check_lines(check)),
        "output_format": "text",
        "visibility": visibility,
    }
