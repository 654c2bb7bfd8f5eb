"""Reports with and without replay are equal, times aside.

All submissions of a day are graded by one grader each way. So are the verdicts on a machine whose tanh differs in the last digit, where replays miss.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from bothways import differences_of, reports
from course_works import own, works
from helpers import COURSE, reference
from reading import be_patient
from sampled import every

from grader.assignment import Course
from grader.grading.grader import open_grader
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DAYS = Course(COURSE).names
FIRST = ("day1", "day2", "day3", "day7")  # of CI
SAMPLE = {
    "day1": 3,
    "day2": 3,
    "day3": 1,
    "day4": 2,
    "day5": 1,
    "day6": 1,
    "day7": 1,
}  # of each day, beside reference and stub
WITH_TANH = ("day2", "day4")


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    """Yield the launcher of all jails of this file."""
    with Launcher() as running:
        yield running


def is_equal(launcher: Launcher, day: str, chosen: Mapping[str, bytes]) -> None:
    _, found = differences_of(Course(COURSE).assignment(day), launcher, chosen)
    assert "\n".join(found) == ""


@pytest.mark.parametrize(
    "day",
    [pytest.param(day, marks=pytest.mark.ci if day in FIRST else pytest.mark.whole) for day in DAYS],
)
def test_a_sample_is_graded_alike(launcher: Launcher, day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    be_patient(monkeypatch)

    is_equal(launcher, day, own(day) | dict(list(works(day).items())[: SAMPLE[day]]))


NEXT_NUMBER = """
import types

here = types.SimpleNamespace(**vars(__import__("math")))
math = types.SimpleNamespace(**vars(here))
math.tanh = lambda x: here.nextafter(here.tanh(x), 2.0)
"""


def is_alike_elsewhere(launcher: Launcher, day: str, chosen: Mapping[str, bytes]) -> None:
    """Hold that work gets the same verdicts and the same mistakes if tanh gives the next number."""
    moved = {
        name: re.sub(rb"^import math$", NEXT_NUMBER.strip().encode(), data, flags=re.MULTILINE)
        for name, data in chosen.items()
    }
    assert all(NEXT_NUMBER.strip().encode() in data for data in moved.values())
    with open_grader(Course(COURSE).assignment(day), launcher) as grader:
        here, there = reports(grader, chosen), reports(grader, moved)
    assert verdicts(here) == verdicts(there)


def verdicts(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the reports say of each check, without places in the sources."""
    return {
        name: [(c["id"], c["outcome"], c["score"], c["mistakes"]) for c in report["checks"]]
        for name, report in found.items()
    }


@pytest.mark.ci
@pytest.mark.parametrize("day", ["day2", pytest.param("day4", marks=pytest.mark.ci)])
def test_a_sample_is_graded_alike_where_tanh_gives_the_next_number(
    launcher: Launcher, day: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_patient(monkeypatch)

    is_alike_elsewhere(launcher, day, {"reference.py": reference(day).encode()} | with_tanh(day, 2))


@pytest.mark.whole
@pytest.mark.parametrize("day", WITH_TANH)
def test_many_mistakes_are_graded_alike_where_tanh_gives_the_next_number(
    launcher: Launcher, day: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_patient(monkeypatch)

    is_alike_elsewhere(launcher, day, with_tanh(day, 5))


def with_tanh(day: str, count: int) -> dict[str, bytes]:
    """Return mistakes that import math, at most `count`."""
    found = [each for each in works(day).items() if each[0].startswith("mistake ")]
    return dict([each for each in found if b"\nimport math\n" in each[1]][:count])


@pytest.mark.whole
@pytest.mark.parametrize("day", DAYS)
def test_others_are_graded_alike(launcher: Launcher, day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    be_patient(monkeypatch)

    is_equal(launcher, day, dict(every(200, list(works(day).items())[SAMPLE[day] :])))
