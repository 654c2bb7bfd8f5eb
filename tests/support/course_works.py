"""The submissions of a day that there are: mistakes, right engines in other spellings and shapes, and slips."""

from __future__ import annotations

import random
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING

import slipped
from helpers import COURSE, reference, stub_name
from reading import submission
from shapes import ALL as SHAPES
from slip_table import told
from told_slips import wrong_sources
from variety import VARIANTS

from grader.assignment import Course

if TYPE_CHECKING:
    from collections.abc import Mapping

SEEDS = range(20_000, 20_030)


def mistakes(day: str) -> dict[str, str]:
    """Return submissions with a mistake by name: those that the course knows, then those that facts tell."""
    known = wrong_sources(Course(COURSE).assignment(day))
    return {f"mistake {name}": text for name, text in known.items()} | {
        f"mistake {i}": wrong.source for i, wrong in enumerate(told(day))
    }


def variants(day: str) -> dict[str, str]:
    """Return the right engines of the day in other spellings."""
    fits = [variant for variant in VARIANTS.values() if day in variant.days]
    return {f"variant {variant.name}": variant.submission(day) for variant in fits}


@cache
def works(day: str) -> Mapping[str, bytes]:
    """Return all submissions of a day by name, the kinds in turn."""
    found = mistakes(day) | variants(day)
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
