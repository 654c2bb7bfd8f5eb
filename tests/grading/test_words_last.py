"""Words are the last step: with other sentences everything else that is made of a submission stays the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from helpers import COURSE
from msgspec.structs import replace
from reading import MUL, edited, graded
from sampled import every
from students import by

from grader.assignment import Course
from grader.autograd.words import tables, walks
from grader.gradebook.diff import differences
from grader.gradebook.grade import grades_of
from grader.gradebook.store import Store
from grader.gradebook.survey import Survey
from grader.render.player import check_traces
from grader.report import from_json, to_json
from grader.submissions.work import HandedIn
from grader.topic import make_topic

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from grader.report import CheckResult, Report
    from grader.sandbox import Launcher

DAY = Course(COURSE).assignment("day4")
WRONG = every(
    4,
    [
        [MUL],
        [("        out._backward = _backward\n", "")],
        [("self.grad = 0.0", "self.grad = 1.0")],
        [("        self.grad = 1.0\n        for", "        self.grad = 2.0\n        for")],
        [("self.grad += out.grad", "self.grad = out.grad")],
        [MUL, ("self.grad -= out.grad", "self.grad += out.grad")],
        [("def __sub__(self, other):\n", "def __sub__(self, other):\n        unknown\n")],
        [("out = Value(-self.data, (self,)", "out = Value(-self.data, ()")],
        [("for node in reversed(", "for node in (")],
        [("other = other if isinstance(other, Value) else Value(other)\n", "other = other\n")],
    ],
)
SOURCES = [edited("day4", *edits) for edits in WRONG]


@pytest.fixture(scope="module")
def usual(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> list[Report]:
    """The reports with the sentences as they are."""
    return graded(launcher, tmp_path_factory.mktemp("usual"), "day4", *SOURCES)


@pytest.mark.ci
def test_no_sentence_is_read(
    usual: list[Report], launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With every sentence of the topic replaced by its name, the reports differ in their texts alone."""
    replace_sentences(monkeypatch)

    others = graded(launcher, tmp_path, "day4", *SOURCES)

    differ = sum(one != other for one, other in zip(texts(usual), texts(others), strict=True))
    assert differ >= len(WRONG) * 2 // 3
    assert [bare(report) for report in usual] == [bare(report) for report in others]


@pytest.mark.whole
def test_nothing_for_the_class_is_made_of_sentences(usual: list[Report], tmp_path: Path) -> None:
    """Mistakes in common, differences between two gradings and the player, of reports without any."""
    before = kept(tmp_path / "usual.db", usual, day="1")
    without = kept(tmp_path / "without.db", [bare(report) for report in usual], day="1")
    turned = kept(tmp_path / "turned.db", usual[::-1], day="2")

    assert mistakes(before) == mistakes(without)
    assert len(mistakes(before)) >= len(WRONG) - 1
    assert changes(before, turned) == changes(without, turned)
    assert played(usual) == played([bare(report) for report in usual])


def texts(reports: Sequence[Report]) -> list[list[str]]:
    """Of each report the sentences about rules and walks."""
    return [
        [one.words for check in report.checks for one in (*check.rules, check.walk) if one]
        for report in reports
    ]


def replace_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every sentence of the topic be its own name."""
    for table in (tables.RELATIONS, tables.CAUSES, walks.WALKS):
        for name in table:
            monkeypatch.setitem(table, name, tables.Words(name, name))
    for one in tables.MORE:
        monkeypatch.setitem(tables.MORE, one, "more")
    for operation, reasons in tables.WHY.items():
        for relation in reasons:
            monkeypatch.setitem(tables.WHY[operation], relation, "why")
    for look in walks.LOOKS:
        monkeypatch.setitem(walks.LOOKS, look, (look, look))


def bare(report: Report) -> Report:
    """The report with the kind of every sentence in its place; times are left out."""
    copy = from_json(to_json(report))
    checks = [bare_check(check) for check in copy.checks]
    submission = replace(copy.submission, path="", modified="", argument="")
    return replace(copy, submission=submission, checks=checks, started="", seconds=0.0)


def bare_check(check: CheckResult) -> CheckResult:
    named = {"message": "message", "why": ["why" for _ in check.why], "seconds": 0.0}
    rules = [replace(rule, words="rule") for rule in check.rules]
    mistakes = [replace(mistake, text="mistake") for mistake in check.mistakes]
    walk = check.walk and replace(check.walk, words="walk")
    trace = check.trace and replace(check.trace, words="trace")
    return replace(check, **named, rules=rules, mistakes=mistakes, walk=walk, trace=trace)


def kept(results: Path, reports: Sequence[Report], day: str) -> Path:
    """A results file of a class: the work of two students is wrong in the same way."""
    with Store(results, create=True) as store:
        for number, report in enumerate([*reports, reports[2], reports[2]]):
            student = f"s{number:02}"
            given = HandedIn("day4.py", f"2025-11-0{day}T10:00:00+00:00")
            store.keep(f"{student} {day}", by(student, given), replace(report, started=""))
    return results


def mistakes(results: Path) -> list[Any]:
    with Store(results) as store:
        survey = Survey(make_topic(DAY.manifest.topic, {}), {})
        for grade in grades_of(DAY, store):
            survey.add(grade)
    return [
        (group.finding.key, group.finding.code, group.students, group.checks) for group in survey.commonest()
    ]


def changes(old: Path, new: Path) -> list[Any]:
    sides = []
    for path in (old, new):
        with Store(path) as store:
            sides.append({grade.student: grade for grade in grades_of(DAY, store)})
    return [(one.student, one.checks) for one in differences(*sides)]


def played(reports: Sequence[Report]) -> list[Any]:
    return [
        (one.check, one.trace.nodes, one.trace.student, one.trace.right, one.trace.wrong)
        for report in reports
        for one in check_traces(report.checks)
    ]
