"""One mistake more earns no check: none that fails with one of two mistakes passes with both."""

from __future__ import annotations

import pytest
from pairs import CANCEL, DAYS, gained, open_checks, pairs
from sampled import every

SAMPLE = 4  # pairs of a day in each run; bench/two_mistakes.py tries all


@pytest.mark.parametrize(
    "day",
    [
        "day2",
        *(
            pytest.param(day, marks=pytest.mark.ci if day == "day4" else pytest.mark.whole)
            for day in DAYS[1:]
        ),
    ],
)
def test_one_mistake_more_earns_no_check(day):
    """A sample of a day's pairs; those that truly cancel are listed in tests/support/pairs.py."""
    with open_checks(day) as (assignment, not_passed):
        found = pairs(assignment)
        chosen = every(max(1, len(found) // SAMPLE), found)
        earned = {pair.names: checks for pair in chosen if (checks := gained(pair, not_passed))}

    assert len(chosen) >= SAMPLE
    assert earned == {}


@pytest.mark.ci
def test_listed_pairs_are_pairs():
    """Each name in the list is one of a pair of the day."""
    with open_checks("day7") as (assignment, _):
        names = {(pair.day, *pair.names) for pair in pairs(assignment)}

    assert {key for key in CANCEL if key[0] == "day7"} <= names
