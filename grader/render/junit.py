"""JUnit XML: what Jenkins, GitLab and the test reporters of GitHub Actions read.

There is no one standard. This keeps to what the readers have in common: the schema of Jenkins' xUnit
plugin (junit-10.xsd), the elements that GitLab's "Unit test reports" lists (it shows `classname` as the
suite and the content of `failure`, `error` and `skipped`), and the attribute `message`, which others show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from grader.render.inert import one_line
from grader.render.plain import check_lines, report_lines
from grader.report import Outcome, with_texts

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from grader.report import CheckResult, Report

_KINDS = {
    Outcome.FAILED: "failure",
    Outcome.UNGRADABLE: "error",
    Outcome.TODO: "skipped",
    Outcome.BLOCKED: "skipped",
}


def render_junit(report: Report) -> str:
    """The report as one test suite, a test case for each check; points are properties."""
    from xml.etree import ElementTree as ET

    report = with_texts(report, one_line)
    outcomes = [_KINDS.get(check.outcome) for check in report.checks]
    attributes = {
        "name": report.assignment.id,
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("failure")),
        "errors": str(outcomes.count("error")),
        "skipped": str(outcomes.count("skipped")),
        "time": f"{report.seconds:.3f}",
    }
    root = ET.Element("testsuites", attributes)
    suite = ET.SubElement(root, "testsuite", attributes)
    suite.set("timestamp", report.started[:19])  # the schema has no zone; it is UTC
    _properties(suite, report.score, report.max_score, {"outcome": report.outcome})
    told: dict[str, str] = {}
    for check in report.checks:
        _case(suite, report.assignment.id, check, told)
    ET.SubElement(suite, "system-out").text = "\n".join(report_lines(report))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _case(suite: Element, assignment: str, check: CheckResult, told: dict[str, str]) -> None:
    from xml.etree import ElementTree as ET

    case = ET.SubElement(suite, "testcase", classname=assignment, name=check.id, time=f"{check.seconds:.3f}")
    score = None if check.outcome is Outcome.UNGRADABLE else check.score
    _properties(case, score, check.max_score, {"outcome": check.outcome, "title": check.title})
    lines = check_lines(check, told)
    kind = _KINDS.get(check.outcome)
    if kind is None:
        if lines:  # a check that passed may say what could not be judged
            ET.SubElement(case, "system-out").text = "\n".join(lines)
        return
    said = lines[0] if lines else check.title
    result = ET.SubElement(case, kind, type=check.outcome, message=said)
    result.text = "\n".join([f"{check.id}: {check.title}", *lines])


def _properties(parent: Element, score: float | None, max_score: float, texts: dict[str, str]) -> None:
    from xml.etree import ElementTree as ET

    points = {} if score is None else {"score": f"{score:g}"}
    properties = ET.SubElement(parent, "properties")
    for name, value in {**points, "max_score": f"{max_score:g}", **texts}.items():
        ET.SubElement(properties, "property", name=name, value=value)
