"""Classroom 50's result.json, in the format classroom50/result/v1.

The repository foundation50/classroom50 describes it: schemas/result-v1.schema.json, the page "Advanced
Autograding" of its wiki, and `validate_result` in its runner.py, which reads the file and overwrites `owner`,
`assignment_type`, `datetime` and `graded_at`. Points are whole numbers, and other keys beside the tests are
forbidden. The runner puts `test-name` into Markdown without escaping, so it is only the id of the check.

A score is required, so a report without one has 0 of 0: the student loses nothing. Since one of its tests did not
pass, the runner reports a failure. A test passes or fails, so manual checks are omitted.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from grader.render.escape import escape_line, json_page
from grader.render.words import check_lines
from grader.report import Outcome, whole_points, with_texts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.report import Report


def render_classroom50(report: Report, *, run: Mapping[str, str] | None = None) -> str:
    """Return the report as the text of result.json; `run` is the environment in which the runner starts a grader."""
    report = with_texts(report, escape_line)
    tests = _tests(report)
    return json_page(
        {
            "schema": "classroom50/result/v1",
            **_identity(report, run or {}),
            "datetime": _utc(report.started).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "score": sum(test["score"] for test in tests),
            "max-score": sum(test["max-score"] for test in tests),
            "tests": tests,
        }
    )


def _identity(report: Report, run: Mapping[str, str]) -> dict[str, str]:
    """Return student, assignment and commit from the runner; without a runner, similar values from the report."""
    known = {name: value for name, value in run.items() if value}
    tag = known.get("SUBMISSION_TAG", "")
    sha = report.submission.sha256
    if not tag.startswith("submit/"):
        tag = f"submit/{_utc(report.started):%Y-%m-%dT%H-%M-%SZ}-{sha[:7] or 'live'}"
    commit = known.get("COMMIT_URL", f"sha256:{sha}")
    return {
        "classroom": known.get("CLASSROOM", "none"),
        "assignment": known.get("ASSIGNMENT", report.assignment.id),
        "assignment_type": known.get("ASSIGNMENT_TYPE", "individual"),
        "owner": known.get("OWNER") or known.get("USERNAME", "unknown"),
        "submission": tag,
        "commit": commit,
        "release": known.get("RELEASE_URL", commit),
        "review": known.get("REVIEW_URL", commit),
    }


def _tests(report: Report) -> list[dict[str, Any]]:
    graded = report.score is not None
    return [
        {
            "test-name": check.id,
            "passed": check.outcome is Outcome.PASSED,
            "score": score if graded else 0,
            "max-score": most if graded else 0,
            "title": check.title,
            "outcome": check.outcome,
            "message": "\n".join(check_lines(check)),
        }
        for check, (score, most) in zip(report.judged, whole_points(report.judged), strict=True)
    ]


def _utc(started: str) -> dt.datetime:
    return dt.datetime.fromisoformat(started).astimezone(dt.UTC)
