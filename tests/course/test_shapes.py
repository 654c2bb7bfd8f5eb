"""A slip is found by what it does, in any style of code.

Slips of the engine are made by hand in shapes that no reference has: day 2 with one `_backward` method that
switches on the operation, and with slots and `functools.partial`; day 3 with a recursive search over a dictionary,
and with generators over a stack of iterators. `shapes/NAME.py` is the right submission, `shapes/patches_NAME.py`
turns it into the wrong ones.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sampled import every

from grader.assignment import Course
from grader.grading.grader import Grader, open_grader
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submissions.submission import read_submission

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    Patch = Sequence[tuple[str, str]]

SHAPES = Path(__file__).with_name("shapes")
COURSE = Course.find(SHAPES)

# The recursive sort stops at Python's limit, as most first answers do; nothing else is wrong with it.
LONG_CHAIN = {"day3_recursive": {"deep_chain"}}

# The slips that no fact tells but a known mistake of the course.
MISTAKES = {"missing_import_math", "value_without_hash"}
# Told by a cause, by the walk that stops there, or by a known mistake: that depends on what else keeps the inputs.
WITHOUT_CHILDREN = {f"value_{operation}_without_children" for operation in ("add", "mul", "tanh")}


@dataclass(frozen=True)
class Shape:
    """A right submission of a day, and the changes that make each slip in it."""

    day: str
    name: str

    @property
    def patches(self) -> ModuleType:
        return importlib.import_module(f"course.shapes.patches_{self.name}")

    @property
    def right(self) -> dict[str, Patch]:
        """The submission as it is, and other right ones."""
        return {"as it is": [], **getattr(self.patches, "ALSO_RIGHT", {})}

    def source(self, name: str) -> str:
        """Return the source of a submission, right or wrong, by its name."""
        source = (SHAPES / f"{self.name}.py").read_text(encoding="utf-8")
        for old, new in {**self.right, **self.patches.MISTAKES}[name]:
            assert source.count(old) == 1, f"{self.name}, {name}: {source.count(old)} times:\n{old}"
            source = source.replace(old, new)
        return source


@dataclass(frozen=True)
class Ran:
    """The result of one submission: failed checks, wrong rules and walks, named mistakes."""

    failing: set[str]
    rules: set[str]
    walks: int
    mistakes: set[str]


ALL = [
    Shape("day2", "day2_one_method"),
    Shape("day3", "day3_recursive"),
    Shape("day2", "day2_slots_partial"),
    Shape("day3", "day3_generator"),
]
shapes = pytest.mark.parametrize("shape", [pytest.param(shape, id=shape.name) for shape in ALL])


def ran(shape: Shape, names: Sequence[str], folder: Path) -> dict[str, Ran]:
    """Grade these variants of a shape in one session."""
    with Launcher() as launcher, open_grader(COURSE.assignment(shape.day), launcher) as grader:
        return {name: run(grader, folder, shape.source(name)) for name in names}


def run(grader: Grader, folder: Path, source: str) -> Ran:
    """Grade one variant."""
    path = folder / "submission.py"
    path.write_text(source, encoding="utf-8")
    checks = grader.grade(read_submission(path)).checks
    return Ran(
        {check.id for check in checks if check.outcome in {Outcome.FAILED, Outcome.TODO}},
        {rule.operation for check in checks for rule in check.rules},
        sum(check.walk is not None for check in checks),
        {mistake.id for check in checks for mistake in check.mistakes},
    )


@shapes
def test_of_a_right_engine_in_another_shape_nothing_is_reported(shape: Shape, tmp_path: Path) -> None:
    """Right submissions have no notes."""
    found = ran(shape, list(shape.right), tmp_path)

    lost = LONG_CHAIN.get(shape.name, set())
    assert found.pop("as it is") == Ran(lost, set(), 0, set())
    assert [each for each in found.values() if each != Ran(set(), set(), 0, set())] == []


OPERATIONS = {"add": {"+"}, "mul": {"*"}, "tanh": {"tanh"}, "rules": {"+", "*"}, "every": {"+", "*", "tanh"}}
OPERATIONS |= {"value_assigns": {"+", "*", "tanh"}}
OPERATIONS |= {name: {"Value"} for name in ("grad_starts_at_one", "value_grad_starts_at_one")}


@pytest.mark.ci
@shapes
def test_each_slip_is_reported_in_another_shape(shape: Shape, tmp_path: Path) -> None:
    """By a rule of its operation and no other, by a walk, or by a mistake of the course.

    Of the first shape of a day every twelfth slip is made, of the others every thirtieth.
    """
    slips = every(12 if shape in ALL[:2] else 30, shape.patches.MISTAKES)

    found = ran(shape, slips, tmp_path)

    lost = LONG_CHAIN.get(shape.name, set())
    assert [name for name in slips if not found[name].failing - lost] == []
    for name in WITHOUT_CHILDREN & found.keys():
        told = found.pop(name)
        assert told.rules <= OPERATIONS[name.split("_")[1]], name
        assert told.mistakes <= {"value_without_children"}, name
        assert told.rules or told.walks or told.mistakes, name
    assert {name: told.mistakes for name, told in found.items() if told.mistakes} == {
        name: {name} for name in MISTAKES & found.keys()
    }
    for name in found.keys() - MISTAKES:
        told = found[name]
        rules = OPERATIONS.get(name) or OPERATIONS.get(name.partition("_")[0], set())
        assert told.rules <= rules, name
        assert bool(told.walks) != bool(rules), name
        assert bool(told.rules) == bool(rules), name
