"""The points of a check by its tests: all or nothing, or the share that passes in every run."""

from fractions import Fraction

import pytest

from grader.grading.verdicts import decide, overall, passed_names, points_of
from grader.manifest import CheckSpec
from grader.report import CheckResult, Outcome
from grader.topic import Test, TestOutcome, TestResult


def ran(name, outcome, *, visibility="visible", order=""):
    """The result of one test."""
    return TestResult(Test("mul", visibility, name, order, ""), TestOutcome(outcome))


def test_a_test_counts_once_and_passes_only_in_every_run():
    """One name among visible and hidden tests, and under two orders of sets; in either sequence."""
    runs = [
        ran("test_a", "passed"),
        ran("test_a", "failed", visibility="hidden"),
        ran("test_b", "failed", order="forward"),
        ran("test_b", "passed", order="backward"),
        ran("test_c", "passed", order="forward"),
        ran("test_c", "passed", order="backward"),
    ]

    assert passed_names(runs) == {"test_a": False, "test_b": False, "test_c": True}


def test_hidden_tests_that_were_kept_count_with_the_others():
    """A name that failed there has failed, a name that only they have is one more test."""
    kept = {"test_a": False, "test_b": True, "test_more": True}

    found = passed_names([ran("test_a", "passed"), ran("test_b", "failed")], kept)

    assert found == {"test_a": False, "test_b": False, "test_more": True}
    assert kept == {"test_a": False, "test_b": True, "test_more": True}


@pytest.mark.parametrize("outcome", ["todo", "failed"])
def test_a_test_that_did_not_pass_is_in_the_share(outcome):
    """Also if it is to do; a test that was skipped is not in it."""
    runs = [ran("test_a", "passed"), ran("test_b", outcome), ran("test_c", "skipped")]

    assert passed_names(runs) == {"test_a": True, "test_b": False}


@pytest.mark.parametrize(
    ("partial", "outcome", "points"),
    [
        (True, Outcome.FAILED, Fraction(20, 3)),
        (True, Outcome.BLOCKED, Fraction(20, 3)),
        (True, Outcome.TODO, Fraction(20, 3)),
        (True, Outcome.UNGRADABLE, 0),
        (True, Outcome.PASSED, 10),
        (False, Outcome.FAILED, 0),
        (False, Outcome.PASSED, 10),
    ],
)
def test_the_share_that_passes_gives_points_only_where_the_manifest_says_so(partial, outcome, points):
    """A check that passed has all of its points."""
    spec = CheckSpec(points=10, hints=["a", "b", "c"], partial=partial)

    assert points_of(spec, outcome, {"test_a": True, "test_b": True, "test_c": False}) == points


@pytest.mark.parametrize(
    ("of_tests", "alone", "after_open", "after_needed"),
    [
        (None, "ungradable", "ungradable", "ungradable"),
        ("ungradable", "ungradable", "ungradable", "ungradable"),
        ("failed", "failed", "failed", "blocked"),
        ("todo", "todo", "todo", "todo"),
        ("passed", "passed", "passed", "passed"),
        ("unjudged", "failed", "blocked", "blocked"),
        ("skipped", "todo", "blocked", "blocked"),
    ],
)
def test_tests_and_earlier_checks_decide(of_tests, alone, after_open, after_needed):
    """A check alone, after one that is open, and after one that is open and that it needs: the table of docs/architecture.md."""
    tests = TestOutcome(of_tests) if of_tests else None
    spec = CheckSpec(points=10, hints=["a", "b", "c"], needs=("needed",))
    before = {
        name: CheckResult(
            id=name, title="", outcome=Outcome.TODO, score=0.0, max_score=1.0, visibility="visible"
        )
        for name in ("other", "needed")
    }

    assert decide(tests, spec, []) == alone
    assert decide(tests, spec, [before["other"]]) == after_open
    assert decide(tests, spec, [before["needed"]]) == after_needed


@pytest.mark.parametrize(
    ("outcomes", "whole"),
    [
        ("todo", "todo"),
        ("todo blocked", "todo"),
        ("passed todo", "failed"),
        ("passed manual", "passed"),
        ("manual", "manual"),
    ],
)
def test_the_outcome_of_the_whole_is_that_of_its_checks(outcomes, whole):
    """What is to do and what waits for it are to do; what is manual counts alone."""
    checks = [
        CheckResult(id="x", title="", outcome=Outcome(name), score=0.0, max_score=1.0, visibility="visible")
        for name in outcomes.split()
    ]

    assert overall(checks) == whole


def test_no_test_is_no_point():
    """A check whose tests were all skipped."""
    assert points_of(CheckSpec(points=10, hints=["a", "b", "c"], partial=True), Outcome.BLOCKED, {}) == 0


VISIBLE = """
def test_x(student):
    assert student.x == 1

def test_y(student):
    assert student.y == 2
"""
HIDDEN = """
def test_x(student):
    assert student.x > 0

def test_z(student):
    assert student.z == 3

def test_w(student):
    assert student.w == 4
"""


@pytest.mark.parametrize(
    ("source", "points"),
    [
        ("x, y, z, w = 1, 2, 3, 4", 10),
        ("x, y, z, w = 1, 2, 3, 0", 7.5),
        ("x, y, z, w = 1, 0, 3, 4", 7.5),
        ("x, y, z, w = 5, 2, 3, 4", 7.5),  # one of two tests of a name fails: the name has failed
        ("x, y, z, w = 0, 0, 3, 0", 2.5),
    ],
)
def test_visible_and_hidden_tests_share_the_points(make, report_on, source, points):
    """Four names have a quarter of the points each, wherever their tests lie."""
    assignment = make({"one": VISIBLE}, {"one": HIDDEN}, one={"partial": True})

    assert report_on(assignment, source).score == points
