"""Reports with and without replay, memory and direct calls are equal, times aside.

All submissions of a day are graded by one grader each way, and with replay once more in the opposite order, so that
results are remembered. So are the verdicts on a machine whose tanh differs in the last digit, where replays miss.
"""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import pytest
import slipped
from bothways import differences_of, reports
from helpers import COURSE, reference, stub_name
from reading import be_patient, submission
from sampled import every
from shapes import ALL as SHAPES
from slip_table import told
from variety import VARIANTS

from grader.assignment import Course
from grader.authoring.mistakes import apply_mistake, read_mistakes
from grader.authoring.reference import reference_blocks
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
SEEDS = range(20_000, 20_030)


@pytest.fixture(scope="module")
def launcher() -> Iterator[Launcher]:
    """Yield the launcher of all jails of this file."""
    with Launcher() as running:
        yield running


@cache
def works(day: str) -> Mapping[str, bytes]:
    """Return all submissions of a day by name, the kinds in turn: mistakes (known or told by facts), variants, shapes, slips."""
    assignment, found = Course(COURSE).assignment(day), {}
    blocks = reference_blocks(assignment)
    for mistake in read_mistakes(assignment):
        parts = apply_mistake(blocks, mistake)
        found[f"mistake {mistake.name}"] = "\n\n".join(f"# %%\n{block.source}" for block in parts)
    for i, wrong in enumerate(told(day)):
        found[f"mistake {i}"] = wrong.source
    for variant in VARIANTS.values():
        if day in variant.days:
            found[f"variant {variant.name}"] = variant.submission(day)
    for shape in SHAPES:
        if shape.day == day:
            found[f"shape {shape.name} right"] = shape.right
            found |= {f"shape {shape.name} {name}": shape.source(name) for name in shape.slips}
    for seed in SEEDS if day in ("day4", "day5") else ():
        style, rules = slipped.drawn(seed)
        if (style == "local") is (day == "day5"):
            found[f"slip {seed}"] = submission(day, slipped.engine(rules, style))
    names = random.Random(day).sample(sorted(found), len(found))
    kinds = [[name for name in names if kind_of(name) == kind] for kind in sorted(set(map(kind_of, names)))]
    names = [name for turn in zip_longest(*kinds) for name in turn if name is not None]
    return {f"{name}.py": found[name].encode() for name in names}


def kind_of(name: str) -> str:
    """Return the first word of a name, and for a shape its own name too."""
    kind, of, *_ = name.split()
    return f"{kind} {of}" if kind == "shape" else kind


def own(day: str) -> dict[str, bytes]:
    """Return the reference and the stub."""
    stub = Course(COURSE).assignment(day).stub
    return {"reference.py": reference(day).encode(), stub_name(day): stub.read_bytes()}


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

    is_alike_elsewhere(launcher, day, {"reference.py": reference(day).encode()} | mistakes(day, 2))


@pytest.mark.whole
@pytest.mark.parametrize("day", WITH_TANH)
def test_many_mistakes_are_graded_alike_where_tanh_gives_the_next_number(
    launcher: Launcher, day: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_patient(monkeypatch)

    is_alike_elsewhere(launcher, day, mistakes(day, 5))


def mistakes(day: str, count: int) -> dict[str, bytes]:
    """Return mistakes, at most `count`."""
    found = [each for each in works(day).items() if each[0].startswith("mistake ")]
    return dict([each for each in found if b"\nimport math\n" in each[1]][:count])


@pytest.mark.whole
@pytest.mark.parametrize("day", DAYS)
def test_others_are_graded_alike(launcher: Launcher, day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    be_patient(monkeypatch)

    is_equal(launcher, day, dict(every(200, list(works(day).items())[SAMPLE[day] :])))
