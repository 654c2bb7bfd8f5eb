"""A mistake is named by what it does, whatever the code looks like.

Every mistake about the engine is made again by hand in shapes that no reference has: day 2 with
one `_backward` method that switches on the operation, and with slots and `functools.partial`;
day 3 with a recursive search over a dictionary, and with generators over a stack of iterators.
`shapes/NAME.py` is the right submission, `shapes/patches_NAME.py` turns it into the wrong ones.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from grader.assignment import Course
from grader.course import read_mistakes, reference_blocks
from grader.explanations import diagnosis_of
from grader.grading import Grader, with_grader
from grader.report import Outcome
from grader.sandbox import Launcher
from grader.submission import read_submission

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

    Patch = Sequence[tuple[str, str]]

SHAPES = Path(__file__).with_name("shapes")
COURSE = Course.find(SHAPES)

ABOUT_ENGINE = {
    "day2": ("add_", "mul_", "tanh_", "every_operation_", "rules_", "missing_import_", "grad_starts_"),
    "day3": ("topo_", "backward_", "value_", "missing_import_"),
}

# The recursive sort stops at Python's limit, as most first answers do; nothing else is wrong with it.
LONG_CHAIN = {"day3_recursive": {"deep_chain/visible/test_five_thousand"}}


@dataclass(frozen=True)
class Shape:
    """A right submission of a day, and the changes that make each mistake in it."""

    day: str
    name: str

    @property
    def source(self) -> str:
        return (SHAPES / f"{self.name}.py").read_text(encoding="utf-8")

    @property
    def patches(self) -> ModuleType:
        return importlib.import_module(f"shapes.patches_{self.name}")

    @property
    def mistakes(self) -> dict[str, Patch]:
        return self.patches.MISTAKES

    @property
    def right(self) -> dict[str, Patch]:
        """The submission as it is, and others that are as right."""
        return {"as it is": [], **getattr(self.patches, "ALSO_RIGHT", {})}

    def variants(self) -> dict[str, str]:
        """The source of every submission, right and wrong, by its name."""
        return {name: self.patched(name, patch) for name, patch in {**self.right, **self.mistakes}.items()}

    def patched(self, name: str, patch: Patch) -> str:
        source = self.source
        for old, new in patch:
            assert source.count(old) == 1, f"{self.name}, {name}: {source.count(old)} times:\n{old}"
            source = source.replace(old, new)
        return source


@dataclass(frozen=True)
class Ran:
    """What one submission got: the tests that it did not pass, and the mistakes that were named."""

    failing: set[str]
    named: set[str]


ALL = [
    Shape("day2", "day2_one_method"),
    Shape("day2", "day2_slots_partial"),
    Shape("day3", "day3_recursive"),
    Shape("day3", "day3_generator"),
]
FEW = 12  # mistakes of one shape in the default run


@pytest.fixture(
    scope="module",
    params=[pytest.param(shape, id=shape.name, marks=pytest.mark.slow) for shape in ALL],
)
def shape(request: pytest.FixtureRequest) -> Shape:
    """Each of them."""
    return request.param


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Shape], dict[str, Ran]]:
    """Gives the runs of a shape's variants, graded once, in one warm session."""
    folder = tmp_path_factory.mktemp("shapes")

    @cache
    def of_shape(shape: Shape, few: int | None = None) -> dict[str, Ran]:
        variants = list(shape.variants().items())

        def job(grader: Grader) -> dict[str, Ran]:
            right = grader.run(reference_blocks(grader.assignment))[1]
            silent = {r.test.key for r in right if r.outcome is Outcome.BLOCKED}
            return {name: run(grader, folder, source, silent) for name, source in variants[:few]}

        with Launcher() as launcher:
            return with_grader(COURSE.assignment(shape.day), launcher, job)

    return of_shape


def run(grader: Grader, folder: Path, source: str, silent: set[str]) -> Ran:
    """Grade one variant; `silent` are the tests that skip whatever is handed in."""
    path = folder / "submission.py"
    path.write_text(source, encoding="utf-8")
    _, results = grader.run(read_submission(path).blocks)
    passed = {r.test for r in results if r.outcome is Outcome.PASSED}
    passed |= {r.test for r in results if r.outcome is Outcome.BLOCKED and r.test.key in silent}
    failing = {r.test.key for r in results if r.test not in passed}
    return Ran(failing, {name for names in diagnosis_of(results, grader.known).values() for name in names})


def wanted(shape: Shape) -> dict[str, str]:
    """Every mistake about the day's engine, and the name under which it is told."""
    mistakes = read_mistakes(COURSE.assignment(shape.day))
    return {m.id: m.same_as or m.id for m in mistakes if m.id.startswith(ABOUT_ENGINE[shape.day])}


def listed(shape: Shape, names: dict[str, set[str]]) -> str:
    """One line a mistake, for a message."""
    lines = (f"  {name}: {', '.join(sorted(told)) or 'nothing'}" for name, told in names.items())
    return f"in {shape.name} these were named as\n" + "\n".join(lines)


@pytest.mark.slow
def test_a_few_mistakes_in_another_shape(runs):
    """One `_backward` method that switches on the operation: the mistakes have the same names."""
    ran = runs(ALL[0], FEW)

    assert ran.pop("as it is") == Ran(set(), set())
    assert {name: few.named for name, few in ran.items()} == {name: {wanted(ALL[0])[name]} for name in ran}


def test_mistakes_have_the_same_names(runs, shape):
    """In one test: a shape is graded once, for all that is seen of it, by one worker."""
    ran = runs(shape)
    right_engine_passes_and_is_never_named(ran, shape)
    every_mistake_about_the_engine_is_made(shape)
    every_mistake_costs_something(ran, shape)
    nine_in_ten_are_named_and_none_is_misnamed(ran, shape)


def right_engine_passes_and_is_never_named(ran: dict[str, Ran], shape: Shape) -> None:
    """The shape itself is right: full marks, and no mistake is told."""
    right = {name: ran[name] for name in shape.right}

    assert right.pop("as it is") == Ran(LONG_CHAIN.get(shape.name, set()), set())
    assert right == dict.fromkeys(right, Ran(set(), set()))


def every_mistake_about_the_engine_is_made(shape: Shape) -> None:
    """A new mistake is made in each shape too, or a reason stands there why it cannot be."""
    impossible = shape.patches.NOT_POSSIBLE

    assert sorted([*shape.mistakes, *impossible]) == sorted(wanted(shape))
    assert all(impossible.values())


def every_mistake_costs_something(ran: dict[str, Ran], shape: Shape) -> None:
    """A change that no check notices makes no mistake."""
    lost = LONG_CHAIN.get(shape.name, set())

    assert [name for name in shape.mistakes if not ran[name].failing - lost] == []


def nine_in_ten_are_named_and_none_is_misnamed(ran: dict[str, Ran], shape: Shape) -> None:
    """What the checks read is the same in every shape: a mistake is told by its own name or not at all."""
    right = wanted(shape)
    told = {name: ran[name].named for name in shape.mistakes}
    missed = {name: named for name, named in told.items() if named != {right[name]}}
    wrong = {name: named for name, named in missed.items() if named - {right[name]}}

    assert not wrong, listed(shape, wrong)
    enough = len(missed) * 10 <= len(told)
    assert enough, f"{len(told) - len(missed)} of {len(told)}; {listed(shape, missed)}"
