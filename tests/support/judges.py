"""The meaning of inert in the formats for programs, whose readers act on nothing in a hostile report, and in a page.

A page is inert if a hostile text gives it the same elements and attributes as a plain one: see `elements_of`.
"""

from __future__ import annotations

import json
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from hostile import controls, obeyed
from junitparser import JUnitXml
from reporter import CYAN, END, GREEN, MAGENTA, RED, log_of

from grader.render import FORMATS
from grader.render.classroom import MAX_VARIABLE, reporter_variable
from grader.report import Outcome, Report, whole_points

# What junit-10.xsd of Jenkins' xUnit plugin knows, as far as it is used: attributes and children.
COUNTS = {"name", "tests", "failures", "errors", "time"}
ELEMENTS = {
    "testsuites": (COUNTS, {"testsuite"}),
    "testsuite": ({*COUNTS, "skipped", "timestamp"}, {"properties", "testcase", "system-out"}),
    "properties": (set(), {"property"}),
    "property": ({"name", "value"}, set()),
    "testcase": ({"classname", "name", "time"}, {"failure", "error", "skipped", "system-out"}),
    "failure": ({"type", "message"}, set()),
    "error": ({"type", "message"}, set()),
    "skipped": ({"type", "message"}, set()),
    "system-out": (set(), set()),
}


def inert_as_junit(report: Report) -> None:
    """XML of our own elements and attributes alone, one case a check, without a character XML forbids.

    A plugin of Jenkins' copies every file that such a text names to the page of the build.
    """
    page = FORMATS["junit"](report)
    assert obeyed(page) == []
    assert "[[ATTACHMENT|" not in page
    assert page.count("<?") == 1
    assert "<!" not in page
    root = ET.fromstring(page.encode("utf-8"))
    for element in root.iter():
        attributes, children = ELEMENTS[element.tag]
        assert set(element.attrib) == attributes
        assert {child.tag for child in element} <= children
        assert not any("\n" in value for value in element.attrib.values())
        assert len(element) == 0 or not (element.text or "").strip(), "text between elements"
        assert controls("".join([element.text or "", *element.attrib.values()])) == []
    (suite,) = JUnitXml.fromstring(page.encode("utf-8"))
    assert [case.name for case in suite] == [check.id for check in report.checks]
    assert squeezed(report.checks[0].message) in squeezed("".join(root.itertext()))


def inert_as_gradescope(report: Report) -> None:
    """JSON whose every text is shown as text; nothing but the points is a grade."""
    page = FORMATS["gradescope"](report)
    assert obeyed(page) == []
    results = json.loads(page)
    assert results.get("score") == report.score
    shown = [results, *results.get("tests", [])]
    assert {value for part in shown for key, value in part.items() if key.endswith("_format")} == {"text"}
    for part in shown:
        assert obeyed(part["output"]) == []
        assert obeyed(part.get("name", "")) == []
        assert "\n" not in part.get("name", "")
    told = results["output"] if report.score is None else results["tests"][0]["output"]
    assert squeezed(report.checks[0].message) in squeezed(told)


def inert_as_classroom(report: Report) -> None:
    """Of all that the reporter prints of it, a runner executes the reporter's own lines and nothing else."""
    page = FORMATS["classroom"](report)
    assert obeyed(page) == []
    names = [test["name"] for test in json.loads(page)["tests"]]
    assert not any("\n" in name for name in names)
    value = reporter_variable(report)
    assert len(value) <= MAX_VARIABLE
    log = log_of(day2=value)
    for paint in (GREEN, RED, CYAN, MAGENTA, END):
        log = log.replace(paint, "")
    points, most = map(sum, zip(*whole_points(report.judged)))
    said = [
        f"::notice title=Autograding complete::Points {points}/{most}",
        f'::notice title=Autograding report::{{"totalPoints":{points},"maxPoints":{most}}}',
        "::error::Some tests failed.",
    ]
    assert obeyed(log) == (["::error::Some tests errored."] if report.score is None else said)


def inert_as_classroom50(report: Report) -> None:
    """JSON whose tests have the checks' ids for names: these alone become Markdown in the runner."""
    text = report.checks[0].message
    page = FORMATS["classroom50"](report, run={"CLASSROOM": text, "OWNER": text, "COMMIT_URL": text})
    assert obeyed(page) == []
    result = json.loads(page)
    assert [result[key] for key in ("classroom", "owner", "commit") if text] == [text] * 3 * bool(text)
    assert [test["test-name"] for test in result["tests"]] == [check.id for check in report.judged]
    assert [test["passed"] for test in result["tests"]] == [
        check.outcome is Outcome.PASSED for check in report.judged
    ]
    for test in result["tests"]:
        assert obeyed(test["message"]) == obeyed(test["title"]) == []
    assert squeezed(report.checks[0].message) in squeezed(result["tests"][0]["message"])


def squeezed(text: str) -> str:
    """A text without blanks: those between its words, and those that make it inert."""
    return "".join(text.split())


OTHERS = {
    "junit": inert_as_junit,
    "gradescope": inert_as_gradescope,
    "classroom": inert_as_classroom,
    "classroom50": inert_as_classroom50,
}


# --- Pages


class Elements(HTMLParser):
    """The elements of a page as a browser finds them: each start with its attributes, each end, and comments.

    Code is left out: text between backticks is shown as code, which does nothing.
    """

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, object]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "code" or attrs:
            self.found.append((tag, tuple(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag != "code":
            self.found.append((tag, "end"))

    def handle_comment(self, data: str) -> None:
        self.found.append(("comment", data))

    handle_decl = handle_pi = unknown_decl = handle_comment


def elements_of(page: str) -> list[tuple[str, object]]:
    """Return the elements of a page of HTML in their order."""
    reader = Elements()
    reader.feed(page)
    reader.close()
    return reader.found
