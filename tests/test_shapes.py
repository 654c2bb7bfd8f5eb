"""A slip is told by what it does, whatever the code looks like.

Slips of the engine are made by hand in shapes that no reference has: day 2 with one `_backward` method that
switches on the operation, and with slots and `functools.partial`; day 3 with a recursive search over a dictionary,
and with generators over a stack of iterators. `shapes/NAME.py` is the right submission, `shapes/patches_NAME.py`
turns it into the wrong ones. Most of these are told by rules and walks, the others by mistakes of the course.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from reading import be_patient

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

# The slips of engines that no rule and no walk tells, by the mistakes that they are told as.
MISTAKES = {
    "grad_starts_at_one": "grad_starts_at_one",
    "missing_import_math": "missing_import_math",
    "value_grad_starts_at_one": "value_grad_starts_at_one",
    "value_tanh_without_children": "value_without_children",
    "value_without_hash": "value_without_hash",
}


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
    """What one submission got: the checks that it did not pass, the mistakes that were told, and by what else."""

    failing: set[str]
    mistakes: set[str]
    is_read: bool  # a rule or a walk is told


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
    mistakes = {mistake.id for check in checks for mistake in check.mistakes}
    return Ran(failing, mistakes, any(check.rules or check.walk for check in checks))


@pytest.mark.slow
@shapes
def test_slips_are_told_in_another_shape(
    shape: Shape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a rule or a walk, or else by the mistake of the course; a right engine is told nothing."""
    be_patient(monkeypatch)
    slips = shape.patches.MISTAKES
    lost = LONG_CHAIN.get(shape.name, set())

    found = ran(shape, [*shape.right, *slips], tmp_path)

    assert found.pop("as it is") == Ran(lost, set(), is_read=False)
    right = {name: found.pop(name) for name in shape.right if name != "as it is"}
    assert right == {name: Ran(set(), set(), is_read=False) for name in right}
    assert [name for name, each in found.items() if not each.failing - lost] == []
    told = {name: (each.is_read, each.mistakes) for name, each in found.items()}
    assert told == {name: (False, {MISTAKES[name]}) if name in MISTAKES else (True, set()) for name in slips}
