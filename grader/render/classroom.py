"""JSON for GitHub Classroom's reporter: classroom-resources/autograding-grading-reporter, tag v1.

The Classroom service is gone; courses' workflows still use its reporter. For each of its `runners` it reads
base64 of this JSON from the variable <RUNNER>_RESULTS. From its source:

- It shows the name of a test that passed or failed, but the message of one with an error. So that message
  begins with the check's id.
- It never shows the message of a failed test, but its `test_code`. So the words are there.
- `line_no` 0 means no line; without the key it prints "line undefined". A line of a cell is named in the words.
- It prints points as they are and adds them up. So points are whole numbers.
- Its notice has the sum of the points, its log counts tests that passed. So the last test explains the totals.
- No tests, or one without a score, give NaN. So there is always a test.
- A test passes, fails or has an error. So manual checks are left out, and the note at the end names them.
- With a maximum of 0 it leaves out the notice. So that is a report without a score, and its status is an error.

It prints into a job's log, where each line may be a command. So a name is one line, and every line is
escaped. One variable of the environment has at most 128 KiB (Linux, MAX_ARG_STRLEN).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from grader.render.escape import escape, escape_line, json_page
from grader.render.words import check_lines, no_score_words, passed_words, score_words, waiting_words
from grader.report import Outcome, whole_points, with_texts

if TYPE_CHECKING:
    from grader.report import CheckResult, Report

MAX_VARIABLE = 131_072 - 1_024  # bytes of base64; the rest is for the name and the end of the variable
MAX_TITLE = 200  # characters of a title in a name
LEAST_NAME = 60  # characters to which a name is shortened at most
WHOLE = 1_000_000_000  # characters: no limit
_STATUS = {Outcome.PASSED: "pass", Outcome.UNGRADABLE: "error"}


def render_classroom(report: Report) -> str:
    """Return the reporter's object as JSON, with all words."""
    return json_page(_results(*_parts(report), WHOLE))


def reporter_variable(report: Report) -> str:
    """Return the reporter's object as the value of its variable; the longest texts are shortened to fit."""
    import bisect

    parts = _parts(report)
    whole = _variable(_results(*parts, WHOLE))
    if len(whole) <= MAX_VARIABLE:
        return whole
    limits = range(MAX_VARIABLE)
    fitting = bisect.bisect(limits, MAX_VARIABLE, key=lambda n: len(_variable(_results(*parts, n))))
    return _variable(
        _results(*parts, fitting - 1) if fitting else _results(parts[0], [_alone(parts[0])], "", WHOLE)
    )


def _variable(results: dict[str, Any]) -> str:
    import base64

    text = json.dumps(results, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(text.encode()).decode("ascii")


def _parts(report: Report) -> tuple[Report, list[dict[str, Any]], str]:
    """Return the report with escaped texts, its tests, and the note after them."""
    report = with_texts(report, escape_line)
    if not report.judged:
        return report, [_alone(report)], ""
    points = [(0, 0) if report.score is None else pair for pair in whole_points(report.judged)]
    tests = [_test(report, c, p) for c, p in zip(report.judged, points, strict=True)]
    return report, tests, _note(report, points)


def _results(report: Report, tests: list[dict[str, Any]], note: str, limit: int) -> dict[str, Any]:
    """Return the reporter's object; each text except the note has at most `limit` characters."""
    status = "pass" if report.outcome is Outcome.PASSED else "fail"
    tests = [_shorten(test, limit) for test in tests]
    if note:
        tests[-1]["test_code"] = "\n\n".join(filter(None, [tests[-1]["test_code"], note]))
    return {
        "version": 1,
        "status": "error" if report.score is None else status,
        "max_score": sum(test["max_score"] for test in tests),
        "tests": tests,
    }


def _shorten(test: dict[str, Any], limit: int) -> dict[str, Any]:
    cut = {name: _cut(test[name], limit) for name in ("message", "test_code", "filename")}
    return {**test, "name": _cut(test["name"], max(limit, LEAST_NAME)), **cut}


def _test(report: Report, check: CheckResult, points: tuple[int, int]) -> dict[str, Any]:
    score, most = points
    worth = "" if report.score is None else f" {score}/{most}"
    name = f"{check.id}{worth}: {_cut(check.title, MAX_TITLE)}"
    lines = check_lines(check)
    status = _STATUS.get(check.outcome, "fail")
    where = check.where
    return {
        "name": name,
        "status": status,
        "score": score,
        "max_score": most,
        "message": name if status == "error" else "".join(lines[:1]),
        "test_code": escape("\n".join(lines)),
        "filename": where.file if where else report.submission.path,
        "line_no": where.line if where and where.cell is None else 0,
        "duration": round(check.seconds, 3),
    }


def _note(report: Report, points: list[tuple[int, int]]) -> str:
    """Return a note on the reporter's totals, printed after the last test."""
    if report.score is None:
        return no_score_words(report)
    score, most = map(sum, zip(*points, strict=True))
    passed = sum(check.outcome is Outcome.PASSED for check in report.checks)
    waiting = " ".join(waiting_words(report))
    if passed * most == score * len(points):
        return waiting
    rounded = "" if score == report.score else f" ({score} of {most} in whole points)"
    said = f"{score_words(report)}{rounded}, {passed_words(report)}"
    return " ".join(filter(None, [f"{said} The totals below count checks, not points.", waiting]))


def _alone(report: Report) -> dict[str, Any]:
    """Return one test for the whole report, for one without checks or with more than a variable can hold."""
    points = [] if report.score is None else whole_points(report.judged)
    said = no_score_words(report) if report.score is None else passed_words(report)
    name = _cut(f"{report.assignment.id}: {said}", MAX_TITLE)
    status = "pass" if report.outcome is Outcome.PASSED else "fail"
    return {
        "name": name,
        "status": "error" if report.score is None else status,
        "score": sum(score for score, _ in points),
        "max_score": sum(most for _, most in points),
        "message": name,
        "test_code": "",
        "filename": "",
        "line_no": 0,
        "duration": round(report.seconds, 3),
    }


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[: max(0, limit - 3)]}..."[:limit]
