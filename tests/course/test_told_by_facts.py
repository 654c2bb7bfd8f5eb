"""Wrong submissions that no known mistake is about: a fact explains each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from causes import TABLES, wrong_submissions
from oneslip import grading
from reading import be_patient
from sampled import every

from grader.topic import READ_BACK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from grader.report import Report

days = pytest.mark.parametrize("day", TABLES)


def told(report: Report) -> Mapping[str, tuple[str, ...]]:
    """Return kind and key of the facts that were read back, by check."""
    facts = {
        check.id: [f"{f.kind} {f.key}" for f in check.facts if f.kind in READ_BACK] for check in report.checks
    }
    return {check: tuple(each) for check, each in facts.items() if each}


@pytest.mark.ci
@days
def test_a_fact_explains_it_and_no_mistake_repeats_it(day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """At one check; later ones lead there. Of every eighth one."""
    be_patient(monkeypatch)
    wrong = every(8, wrong_submissions(day))

    with grading(day) as graded:
        reports = {each.name: graded(each.source(day)) for each in wrong}

    assert {name: told(report) for name, report in reports.items()} == {
        each.name: {each.check: each.told} for each in wrong
    }
    assert [
        (name, mistake.id)
        for name, report in reports.items()
        for check in report.checks
        for mistake in check.mistakes
    ] == []
