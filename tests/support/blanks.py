"""References with a blank left alone, and lazy notebooks."""

from __future__ import annotations

import re

from helpers import COURSE, cells
from operation_slips import METHODS
from slip_table import DAYS, OWN, Slip, graded

from grader.assignment import Course
from grader.authoring.grading_rules import NULLS, null_submission
from grader.authoring.reference import reference_blocks, strip_solutions

SOLUTION = re.compile(r"(^ *### BEGIN SOLUTION.*?### END SOLUTION\n)", re.MULTILINE | re.DOTALL)
TITLE = re.compile(r"### BEGIN SOLUTION: (.*)")


def _parts(day: str) -> list[str]:
    """Return the reference's text between its blanks, and at odd places the blanks."""
    return SOLUTION.split(graded(day))


def _stub(block: str) -> str:
    return strip_solutions(block, "reference")[0]


def _title(block: str) -> str:
    found = TITLE.search(block)
    assert found
    return found[1]


def blanks(day: str) -> list[Slip]:
    """Return the reference with each blank left alone."""
    found = []
    for block in _parts(day)[1::2]:
        title = _title(block)
        edits = [(block, _stub(block))]
        found.append(Slip(day, f"blank: {title}", edits, first=first_of_blank(day, title)))
    return found


def first_of_blank(day: str, title: str) -> tuple[str, ...]:
    """Return the checks of which one is to be told first when this blank is left alone; none for answers."""
    for operation, method in METHODS.items():
        if title.startswith(f"Value.{method.partition('(')[0]}:"):
            return OWN[day][operation]
    walk = {
        "list every node once": ("build_topo",),
        "seed the root": ("reverse_order",),
        "Value.backward:": ("backward",),
        "build_topo:": ("build_topo",),
        "backward:": ("backward",),
        "Value.__init__": ("add_multiply",),
    }
    return next((first for begin, first in walk.items() if title.startswith(begin)), ())


def lazy(day: str) -> dict[str, str]:
    """Return lazy notebooks by name: the stub, one blank filled in, the walk alone, other engines, null engines."""
    parts = _parts(day)
    stub = [_stub(part) if i % 2 else part for i, part in enumerate(parts)]
    found = {"stub": "".join(stub)}
    first = next((i for i in range(1, len(parts), 2) if "__init__" in parts[i]), 1) if day == "day4" else 0
    for i in range(1, len(parts), 2):
        title = _title(parts[i])
        if is_code(title):
            kept = [part if j in {i, first} else stub[j] for j, part in enumerate(parts)]
            found[f"only {title.partition(':')[0]}"] = "".join(kept)
    walk = [part if not i % 2 or is_walk(_title(part)) else stub[i] for i, part in enumerate(parts)]
    if walk != stub:
        found["the walk alone"] = "".join(walk)
    for other in DAYS:
        if other != day:
            engine = engine_of(other)
            found[f"the engine of {other} alone"] = with_engine(day, "".join(stub), engine)
            if "day5" in {day, other} and day != "day4":  # day 4 takes both kinds of engine
                found[f"the engine of {other}, all else right"] = with_engine(day, "".join(parts), engine)
    assignment = Course(COURSE).assignment(day)
    for title in NULLS:
        found[f"null: {title}"] = null_submission(reference_blocks(assignment), title)
    return found


def is_code(title: str) -> bool:
    """Return True for a blank of code, not of answers."""
    return not title.startswith(("fill in", "answer"))


def is_walk(title: str) -> bool:
    """Return True for a blank of the sort or of backward."""
    walk = ("list every node", "seed the root", "make backward", "Value.backward", "build_topo", "backward:")
    return title.startswith((*walk, "Value.__init__"))


def engine_of(day: str) -> str:
    """Return the code of a day's engine: its class, tanh and its walk."""
    wanted = ("import math", "class Value", "def tanh", "def build_topo", "def backward", "Value.backward =")
    found = [cell for cell in cells(day) if any(text in cell for text in wanted)]
    return "\n\n".join(found)


def with_engine(day: str, source: str, engine: str) -> str:
    """Return a notebook in which an engine stands for the cells of the engine."""
    wanted = (
        "class Value",
        "def tanh",
        "def build_topo",
        "def backward",
        "Value.backward =",
        "paste your Value",
    )
    parts = re.split(r"(?=^# %%)", source, flags=re.MULTILINE)
    kept = [part for part in parts if not any(text in part for text in wanted)]
    return f"# %%\n{engine}\n\n" + "".join(kept)
