"""The engine of the lecture, written from memory in one .py, passes every check of the engine."""

import pytest
from helpers import COURSE, grade_json

LECTURE = COURSE / "tests" / "engines" / "lecture.py"
ENGINE_CHECKS = {
    "day2": {"add_rule", "swap_rule", "accumulate", "pytorch_parity"},
    "day3": {"pytorch_parity"},
}


@pytest.mark.parametrize("day", ["day2", "day3"])
def test_engine_passes_and_what_it_lacks_is_todo(day):
    """No check fails: those of the engine pass, those of missing answers are `todo`."""
    report = grade_json(day, LECTURE, cwd=COURSE)

    outcomes = {check.id: check.outcome for check in report.checks}
    assert {name for name, outcome in outcomes.items() if outcome == "passed"} == ENGINE_CHECKS[day]
    assert {outcomes[name] for name in outcomes.keys() - ENGINE_CHECKS[day]} == {"todo"}
