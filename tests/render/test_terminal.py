"""The report in the terminal, held by snapshots."""

import datetime as dt
import re

import msgspec
import pytest
from helpers import same_as_snapshot

from grader.render.terminal import render_terminal
from grader.report import Outcome

NOW = dt.datetime(2025, 11, 20, 12, 0, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def reports(graded):
    """Real reports, with the saving time made fixed."""
    for report in graded.values():
        saved = (NOW - dt.timedelta(minutes=3)).isoformat(timespec="seconds")
        report.submission = msgspec.structs.replace(report.submission, modified=saved)
    return graded


@pytest.mark.parametrize("name", ["stub", "reference", "broken"])
def test_report(reports, name):
    """The whole report, 80 columns, without colour."""
    same_as_snapshot(name, render_terminal(reports[name], now=NOW))


def test_visible_checks_only(reports):
    """On a student's machine it never says that everything passed."""
    report = msgspec.structs.replace(reports["reference"], hidden_checks=False)
    same_as_snapshot("visible_only", render_terminal(report, now=NOW))


def test_what_is_still_to_write_is_one_line(reports, snapshot):
    """The first of it is shown in full, with its place."""
    page = render_terminal(reports["stub"], now=NOW)

    assert [line.split()[:4] for line in page.splitlines() if line.startswith("  todo")] == [
        ["todo", "add_rule", "0/10", "+"],
        ["todo", "10", "checks", "0/90"],
    ]
    assert page == snapshot
    assert page.count("NotImplementedError") == 0


def test_ungradable(reports):
    """The grader's own fault: no score, and the student is not to blame."""
    report = msgspec.convert(msgspec.to_builtins(reports["stub"]), type(reports["stub"]))
    report.checks[0].outcome, report.checks[0].message = Outcome.UNGRADABLE, "test_add_rule.py: broken"
    report.score = None
    same_as_snapshot("ungradable", render_terminal(report, now=NOW))


def test_weak_isolation_is_told(reports, snapshot):
    """The report says that no jail could be closed."""
    report = msgspec.convert(msgspec.to_builtins(reports["stub"]), type(reports["stub"]))
    report.grader = msgspec.structs.replace(report.grader, isolation=[])
    assert render_terminal(report, now=NOW) == snapshot


def test_gradients_as_bars(reports):
    """A failed check about gradients: what each leaf received, signs on either side of the axis."""
    report = msgspec.structs.replace(reports["chart"], hidden_checks=False)
    text = render_terminal(report, now=NOW)
    same_as_snapshot("chart", re.sub(r"line \d+:", "line N:", text))
    assert max(map(len, render_terminal(report, width=40, now=NOW).splitlines())) <= 60


def test_colour_only_paints(reports):
    """Without its colour codes the text is the same."""
    painted = render_terminal(reports["broken"], colour=True, now=NOW)
    bare = "".join(part.partition("m")[2] if i else part for i, part in enumerate(painted.split("\x1b[")))
    assert bare == render_terminal(reports["broken"], now=NOW)


@pytest.mark.parametrize("width", [40, 60, 100])
def test_no_line_is_wider_than_the_terminal(reports, width):
    """The renderer wraps lines, so that the terminal need not."""
    text = render_terminal(reports["broken"], width=width, now=NOW)
    assert max(map(len, text.splitlines())) <= max(width, 60)
