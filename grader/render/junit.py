"""JUnit XML, for Jenkins, GitLab and the test reporters of GitHub Actions.

There is no single standard. This follows the schema of Jenkins' xUnit plugin (jenkinsci/xunit-plugin,
junit-10.xsd), which refuses unknown elements. Within it, GitLab's "Unit test reports" shows `classname` as the
suite, and the content of `failure`, `error` and `skipped`. Other readers show `message`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from grader.render.escape import escape_junit
from grader.render.words import check_lines, points_text, report_lines
from grader.report import Outcome, with_texts

if TYPE_CHECKING:
    from grader.report import CheckResult, Report

_KINDS = {
    Outcome.FAILED: "failure",
    Outcome.UNGRADABLE: "error",
    Outcome.TODO: "skipped",
    Outcome.BLOCKED: "skipped",
    Outcome.MANUAL: "skipped",
}


def render_junit(report: Report) -> str:
    """Return the report as one test suite with a test case for each check; points are properties of the suite."""
    report = with_texts(report, escape_junit)
    kinds = [_KINDS.get(check.outcome) for check in report.checks]
    if report.unread:  # readers show a suite of only skipped checks as green
        kinds[0] = "failure"
    attributes = {
        "name": report.assignment.id,
        "tests": str(len(kinds)),
        "failures": str(kinds.count("failure")),
        "errors": str(kinds.count("error")),
        "time": f"{report.seconds:.3f}",
    }
    root = ET.Element("testsuites", attributes)
    suite = ET.SubElement(
        root,
        "testsuite",
        attributes,
        skipped=str(kinds.count("skipped")),
        timestamp=report.started[:19],  # the schema has no time zone; this is UTC
    )
    properties = ET.SubElement(suite, "properties")
    for name, value in _properties(report).items():
        ET.SubElement(properties, "property", name=name, value=value)
    for check, kind in zip(report.checks, kinds, strict=True):
        _case(suite, report.assignment.id, check, kind)
    ET.SubElement(suite, "system-out").text = "\n".join(report_lines(report))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _properties(report: Report) -> dict[str, str]:
    """Return outcome and points of the whole and of each check; the schema has no field for them in a test case."""
    rows = [("", report.outcome, report.score, report.max_score)]
    for check in report.checks:
        score = None if check.outcome in (Outcome.UNGRADABLE, Outcome.MANUAL) else check.score
        rows.append((f"{check.id}.", check.outcome, score, check.max_score))
    properties: dict[str, str] = {}
    for name, outcome, score, most in rows:
        properties[f"{name}outcome"] = outcome
        properties |= {} if score is None else {f"{name}score": points_text(score)}
        properties[f"{name}max_score"] = points_text(most)
    return properties


def _case(suite: ET.Element, assignment: str, check: CheckResult, kind: str | None) -> None:
    case = ET.SubElement(suite, "testcase", classname=assignment, name=check.id, time=f"{check.seconds:.3f}")
    lines = check_lines(check)
    text = "\n".join([f"{check.id}: {check.title}", *lines])
    if kind:
        said = lines[0] if lines else check.title
        ET.SubElement(case, kind, type=check.outcome, message=said).text = text
    else:
        ET.SubElement(case, "system-out").text = text
