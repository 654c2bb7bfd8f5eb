"""Whole points, for formats that know no others: full marks stay full, and less never becomes full."""

import base64
import json
from fractions import Fraction
from math import floor
from xml.etree import ElementTree as ET

from hostile import report_of
from hypothesis import given, settings
from hypothesis import strategies as st
from reproducible import the_same_everywhere  # noqa: F401  an autouse fixture

from grader.render import FORMATS
from grader.render.classroom import reporter_variable
from grader.report import CheckResult, Outcome, round_score, whole_points

made_up = settings(database=None, deadline=None, derandomize=True, max_examples=100)
POINTS = st.integers(0, 100) | st.integers(0, 10_000).map(lambda cents: cents / 100)
SHARES = st.tuples(st.integers(0, 12), st.integers(1, 12)).map(lambda pair: Fraction(min(pair), max(pair)))
CHECKS = st.lists(st.tuples(POINTS, SHARES), max_size=12)


def graded(*pairs):
    """Checks worth so many points, of which a share was given; all of them where it passed."""
    return [
        CheckResult(
            id=f"check_{i}",
            title="",
            outcome=Outcome.PASSED if share == 1 else Outcome.FAILED,
            score=round_score(Fraction(str(points)) * share),
            max_score=points,
            visibility="visible",
        )
        for i, (points, share) in enumerate(pairs)
    ]


def totals(checks):
    """Score and maximum of all of them, whole."""
    whole = whole_points(checks)
    return sum(score for score, _ in whole), sum(most for _, most in whole)


@made_up
@given(CHECKS)
def test_full_stays_full_and_less_is_less(pairs):
    """Of each check, and of them all."""
    checks = graded(*pairs)

    whole = whole_points(checks)

    for check, (score, most) in zip(checks, whole):
        assert 0 <= score <= most
        assert (most == 0) == (check.max_score == 0)
        assert (score == most) == (check.outcome is Outcome.PASSED or most == 0)
        assert check.score > 0 or score == 0
    lost = [c for c in checks if c.max_score and c.outcome is not Outcome.PASSED]
    assert (totals(checks)[0] == totals(checks)[1]) == (not lost)


@made_up
@given(CHECKS)
def test_whole_points_stay_what_they_are(pairs):
    """Whole points are not rounded."""
    checks = graded(*((floor(points), Fraction(share == 1)) for points, share in pairs))
    assert whole_points(checks) == [(check.score, check.max_score) for check in checks]


@made_up
@given(st.lists(st.tuples(st.integers(2, 100), SHARES), max_size=12))
def test_the_sum_is_the_exact_one_rounded_down(pairs):
    """If each check has room for it; no check is a point or more away from its exact score."""
    checks = [c for c in graded(*pairs) if c.outcome is Outcome.PASSED or c.score <= c.max_score - 1]

    whole = whole_points(checks)

    assert sum(score for score, _ in whole) == floor(sum(Fraction(str(c.score)) for c in checks))
    assert all(abs(score - c.score) < 1 for c, (score, _) in zip(checks, whole))


@made_up
@given(CHECKS.filter(bool), st.data())
def test_more_is_never_less(pairs, data):
    """A check that becomes better lowers no total."""
    i = data.draw(st.integers(0, len(pairs) - 1))
    points, share = pairs[i]
    better = max(share, data.draw(SHARES))

    after = totals(graded(*pairs[:i], (points, better), *pairs[i + 1 :]))

    assert after[0] >= totals(graded(*pairs))[0]
    assert after[1] == totals(graded(*pairs))[1]


@settings(made_up, max_examples=40)
@given(CHECKS.filter(bool))
def test_every_format_has_these_points(pairs):
    """Those that know fractions have the report's own, the others all the same whole ones."""
    report = report_of("x", score=0)
    report.checks = graded(*pairs)
    report.score = round_score(sum(Fraction(check.score) for check in report.checks))
    report.max_score = round_score(sum(Fraction(check.max_score) for check in report.checks))

    read = {name: json.loads(FORMATS[name](report)) for name in ("gradescope", "classroom50", "classroom")}
    junit = {p.get("name"): p.get("value") for p in ET.fromstring(FORMATS["junit"](report)).iter("property")}

    assert read["gradescope"]["score"] == report.score
    assert round(sum(test["score"] for test in read["gradescope"]["tests"]), 2) == report.score
    assert (float(junit["score"]), float(junit["max_score"])) == (report.score, report.max_score)
    assert (read["classroom50"]["score"], read["classroom50"]["max-score"]) == totals(report.checks)
    tests, most = read["classroom"]["tests"], read["classroom"]["max_score"]
    assert (sum(test["score"] for test in tests), most) == totals(report.checks)
    assert json.loads(base64.b64decode(reporter_variable(report))) == read["classroom"]


def test_thirds_add_up():
    """Three times 6.67 of 10 is 20.01 of 30."""
    assert totals(graded(*[(10, Fraction(2, 3))] * 3)) == (20, 30)


def test_halves_of_points_add_up():
    """Eight checks of 12.5 points are 100 points."""
    assert totals(graded(*[(12.5, Fraction(1))] * 8)) == (100, 100)


def test_maxima_add_up_to_the_nearest():
    """Three checks of 33.33 points are 100 points."""
    assert totals(graded(*[(33.33, Fraction(1))] * 3)) == (100, 100)


def test_a_point_that_is_nearly_earned_is_not():
    """A check of one point has no room for a part of it, also where its cents are rounded to all of them."""
    assert whole_points(graded((1, Fraction(9, 10)), (1, Fraction(9, 10)))) == [(0, 1), (0, 1)]
    assert whole_points(graded((5, Fraction(9_999, 10_000)), (5, Fraction(0)))) == [(4, 5), (0, 5)]


def test_tenths_are_tenths():
    """0.1, 0.2 and 0.7 make a point, although no float is a tenth."""
    shares = [Fraction(tenths, 100) for tenths in (1, 2, 7)]
    assert totals(graded(*((10, share) for share in shares))) == (1, 30)
