"""A mistake is told by what it does, whatever the code looks like.

Slips of the engine are made by hand in shapes that no reference has: day 2 with one `_backward` method that
switches on the operation, and with slots and `functools.partial`; day 3 with a recursive search over a dictionary,
and with generators over a stack of iterators. `shapes/NAME.py` is the right submission, `shapes/patches_NAME.py`
turns it into the wrong ones. Most of these are told by rules and walks; these tests are about mistakes.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.assignment import Course
from grader.grading import Grader, with_grader
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submission import read_submission

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

    Patch = Sequence[tuple[str, str]]

SHAPES = Path(__file__).with_name("shapes")
COURSE = Course.find(SHAPES)

# The recursive sort stops at Python's limit, as most first answers do; nothing else is wrong with it.
LONG_CHAIN = {"day3_recursive": {"deep_chain"}}

# The slips that are mistakes of the course, by what they are told as.
MISTAKES = {
    "add_leaves_constant_unwrapped": "number_unwrapped",
    "mul_leaves_constant_unwrapped": "number_unwrapped",
    "add_reflected_missing": "reflected_missing",
    "mul_reflected_missing": "reflected_missing",
    "add_reflected_recurses": "reflected_recurses",
    "mul_reflected_recurses": "reflected_recurses",
    "value_add_without_children": "value_without_children",
    "value_mul_without_children": "value_without_children",
    "value_tanh_without_children": "value_without_children",
    **{
        name: name
        for name in (
            "grad_starts_at_one", "missing_import_math", "topo_keeps_both", "topo_keeps_list", "topo_keeps_visited",
            "topo_returns_nothing", "topo_returns_visited", "topo_visited_by_value", "backward_clears_afterwards",
            "backward_clears_first", "value_equal_by_value", "value_without_hash", "value_grad_starts_at_one",
        )
    },
}  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """A right submission of a day, and the changes that make each slip in it."""

    day: str
    name: str

    @property
    def patches(self) -> ModuleType:
        return importlib.import_module(f"shapes.patches_{self.name}")

    @property
    def right(self) -> dict[str, Patch]:
        """The submission as it is, and others that are as right."""
        return {"as it is": [], **getattr(self.patches, "ALSO_RIGHT", {})}

    def source(self, name: str) -> str:
        """The source of a submission, right or wrong, by its name."""
        source = (SHAPES / f"{self.name}.py").read_text(encoding="utf-8")
        for old, new in {**self.right, **self.patches.MISTAKES}[name]:
            assert source.count(old) == 1, f"{self.name}, {name}: {source.count(old)} times:\n{old}"
            source = source.replace(old, new)
        return source


@dataclass(frozen=True)
class Ran:
    """What one submission got: the checks that it did not pass, and the mistakes that were told."""

    failing: set[str]
    told: set[str]


ALL = [
    Shape("day2", "day2_one_method"),
    Shape("day2", "day2_slots_partial"),
    Shape("day3", "day3_recursive"),
    Shape("day3", "day3_generator"),
]
shapes = pytest.mark.parametrize("shape", [pytest.param(shape, id=shape.name) for shape in ALL])


def ran(shape: Shape, names: Sequence[str], folder: Path) -> dict[str, Ran]:
    """Grade these variants of a shape in one session."""

    def job(grader: Grader) -> dict[str, Ran]:
        return {name: run(grader, folder, shape.source(name)) for name in names}

    with Launcher() as launcher:
        return with_grader(COURSE.assignment(shape.day), launcher, job)


def run(grader: Grader, folder: Path, source: str) -> Ran:
    """Grade one variant."""
    path = folder / "submission.py"
    path.write_text(source, encoding="utf-8")
    checks = grader.grade(read_submission(path)).checks
    failing = {check.id for check in checks if check.outcome in {Outcome.FAILED, Outcome.TODO}}
    return Ran(failing, {mistake.id for check in checks for mistake in check.mistakes})


@pytest.mark.slow
@shapes
def test_mistakes_are_told_in_another_shape(shape: Shape, tmp_path: Path) -> None:
    """Those of the course by their names; a right engine is told none."""
    mistakes = [name for name in shape.patches.MISTAKES if name in MISTAKES]

    found = ran(shape, [*shape.right, *mistakes], tmp_path)

    lost = LONG_CHAIN.get(shape.name, set())
    assert found.pop("as it is") == Ran(lost, set())
    assert {name: found.pop(name) for name in shape.right if name in found} == {
        name: Ran(set(), set()) for name in shape.right if name != "as it is"
    }
    assert {name: each.told for name, each in found.items()} == {name: {MISTAKES[name]} for name in mistakes}


@pytest.mark.slow
@shapes
def test_other_slips_are_no_mistakes(shape: Shape, tmp_path: Path) -> None:
    """Rules and walks tell these: each costs something, and none is taken for a mistake of the course."""
    others = [name for name in shape.patches.MISTAKES if name not in MISTAKES]

    found = ran(shape, others, tmp_path)

    lost = LONG_CHAIN.get(shape.name, set())
    assert [name for name, each in found.items() if not each.failing - lost] == []
    assert {name: each.told for name, each in found.items() if each.told} == {}
