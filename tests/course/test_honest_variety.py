"""Right engines in other styles get full marks.

Each file of `variants/` is an engine as somebody else would write it. Its first line names the days
that it fits. There it takes the place of the reference's engine; the rest of the assignment, the
answers above all, is the reference's.
"""

from __future__ import annotations

import pytest
from helpers import cells
from judged import judging, lost, with_outcome
from variety import COURSE, SAMPLE, TWELVE, VARIANTS, Variant

from grader.report import Outcome

DAYS = [day for day in COURSE.names if any(day in variant.days for variant in VARIANTS.values())]


def on_one_day(day: str) -> list[Variant]:
    """Return some variants for a day: over all days, each of the twelve once."""
    fits = [(v, list(v.days)) for v in VARIANTS.values() if v.name in TWELVE]
    return [v for i, (v, days) in enumerate(fits) if days[i % len(days)] == day]


def on_other_days(day: str) -> list[Variant]:
    """Return the others that fit the day."""
    return [v for v in SAMPLE if day in v.days and v not in on_one_day(day)]


@pytest.mark.parametrize(
    ("day", "chosen"),
    [
        *((day, on_one_day) for day in DAYS if on_one_day(day)),
        *(pytest.param(day, on_other_days, marks=pytest.mark.ci) for day in DAYS),
    ],
    ids=lambda of: getattr(of, "__name__", of),
)
def test_every_variant_gets_full_marks(chosen, day):
    """Children, gradients and rules may be kept in any way."""
    variants = chosen(day)

    with judging(day) as judged:
        found = {variant.name: lost(judged(variant.submission(day))) for variant in variants}

    style = {variant.name: variant.days[day] for variant in variants}
    assert {name: checks for name, checks in found.items() if checks.keys() - {style[name]}} == {}
    assert [name for name, check in style.items() if check and check not in found[name]] == []


def test_there_are_enough():
    """There are at least 25 for the days of closures, and ten for the days of all operations."""
    counts = {day: sum(day in variant.days for variant in VARIANTS.values()) for day in DAYS}

    enough = {"day2": 25, "day3": 25, "day4": 10, "day5": 10}
    assert {day: count for day, count in counts.items() if count < enough.get(day, 10)} == {}


@pytest.mark.parametrize(
    ("day", "passed"),
    [
        ("day2", {"add_rule", "swap_rule", "accumulate", "pytorch_parity"}),
        ("day3", {"pytorch_parity"}),
    ],
)
def test_the_lectures_engine_alone_passes_and_what_it_lacks_is_to_do(day, passed):
    """The engine of the lecture, written from memory: no check fails, and those of missing answers are `todo`."""
    with judging(day) as judged:
        checks = judged(VARIANTS["lecture_set"].source)

    assert with_outcome(checks, Outcome.PASSED) == passed
    assert with_outcome(checks, Outcome.TODO) == checks.keys() - passed


# Functions of day 1 in other styles.

MINUS = """
def negative(self):
    return Value(-1) * self

def minus(self, other):
    return self + -other

def reflected_minus(self, other):
    return -(self - other)

Value.__neg__, Value.__sub__, Value.__rsub__ = negative, minus, reflected_minus
"""

READ_BACK = """
def leaves_of(root):
    leaves, stack = [], [root]
    while stack:
        node = stack.pop()
        stack.extend(node._prev)
        if node._op == "" and node not in leaves:
            leaves.append(node)
    return leaves

def count_paths(root, leaf):
    found, stack = 0, [root]
    while stack:
        node = stack.pop()
        found += node is leaf
        stack.extend(set(node._prev))
    return found
"""

GRAPHS = """
def product(a, b, c):
    return c + b * a

def sum_times(a, b, c):
    return c * (b + a)

def neuron(x1, x2, w1, w2, b):
    return sum(x * w for x, w in zip((x1, x2), (w1, w2))) + b
"""


def test_other_styles_of_day_1_get_full_marks():
    """Minus by way of the negative, loops for recursion, operands exchanged, answers as floats and small letters."""
    source = "\n\n".join(cells("day1"))
    works = {
        name: f"{source}\n{more}"
        for name, more in {"minus": MINUS, "loops": READ_BACK, "sum": GRAPHS}.items()
    }
    works["answers"] = source.replace("= 3\n", "= 3.0\n").replace('"D"', '"d"')

    with judging("day1") as judged:
        found = {name: lost(judged(work)) for name, work in works.items()}

    assert found == {name: {} for name in works}
