"""Random slips, nine operations in four shapes, are reported truly: real engines in a real jail."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import slipped
from reading import ALL, be_patient, graded, submission
from sampled import WHOLE

from grader.autograd.rules.search import Rule
from grader.autograd.rules.wrong import Cause
from grader.report import Outcome
from grader.sandbox import Launcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from grader.autograd.rules.wrong import WrongOperation

    Read = Callable[..., list[WrongOperation]]


@dataclass
class Tally:
    """The number of wrong rules, those reported, and false or missing reports."""

    wrong: int = 0
    told: int = 0
    false: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def judge(self, seed: int, of: slipped.Rules, causes: set[str], told: dict[str, str]) -> None:
        """Compare the reported statements of an operation, by input, with its real ones."""
        about = f"seed {seed}: {of.name}, {of.slip}, {of.forward}, {of.lines}: told {told or causes}"
        if not of.slip:
            self.false += [about] if told or causes else []
            return
        self.wrong += len(of.wrong)
        if of.slip in slipped.CAUSES:
            right = causes == {slipped.CAUSES[of.slip]}
            self.told += len(of.wrong) * right
            self.missed += [] if right else [about]
            return
        lies = _lies(seed, of, told)
        self.false += [about] if lies else []
        self.told += len(of.wrong & told.keys() - lies)
        self.missed += [about] if of.wrong - told.keys() else []


def _lies(seed: int, of: slipped.Rules, told: dict[str, str]) -> set[str]:
    """Return the inputs whose reported statements, executed in order, give other numbers than the engine."""
    rng, right = random.Random(seed), slipped.right_rules(of.name, random.Random(0))
    forward = told["out"].partition(" = ")[2] if "out" in told else right.forward
    statements = [line for name, line in told.items() if name != "out" and line]
    statements += [line for name, line in right.lines.items() if name not in told]
    lies = set()
    for point in [slipped.fresh(of, rng) for _ in range(40)]:
        theirs = slipped.executed(of.inputs, statements, point, forward)
        engines = slipped.executed(of.inputs, of.lines.values(), point, of.forward)
        lies |= {name for name in told if not slipped.same(theirs[name], engines[name])}
    return lies


# The engines of one test, by seed.
CHUNKS = [
    range(8),
    *(
        pytest.param(range(first, first + 20), marks=pytest.mark.ci)
        for first in range(8, 208 if WHOLE else 28, 20)
    ),
]


@pytest.mark.ci
@pytest.mark.parametrize("seeds", CHUNKS, ids=lambda seeds: f"{seeds.start}-{seeds.stop}")
def test_random_slips_are_reported_truly(read: Read, seeds: range) -> None:
    """At least 95 % of the wrong rules are reported, and each statement gives the engine's numbers at fresh points."""
    tally = Tally()
    for seed in seeds:
        shape, all_rules = slipped.drawn(seed)
        wrong = read(slipped.engine(all_rules, shape))
        assert [each for each in wrong if each.beside_number] == []
        found = {each.operation.name: each.found for each in wrong}
        for of in all_rules:
            mine = found.get(of.name, ())
            causes = {each.id for each in mine if isinstance(each, Cause)}
            told = {each.input: each.wrote for each in mine if isinstance(each, Rule)}
            tally.judge(seed, of, causes, told)
    assert tally.false == []
    assert tally.wrong >= len(seeds)
    assert tally.told >= 0.95 * tally.wrong, tally.missed


@pytest.mark.ci
def test_the_generator_is_varied() -> None:
    """It makes every kind of slip, every operation, every shape, and engines with two wrong operations."""
    engines = [slipped.drawn(seed) for seed in range(100)]
    slips = Counter(of.slip for _, all_rules in engines for of in all_rules if of.slip)
    names = {of.name for _, all_rules in engines for of in all_rules if of.slip}

    assert slips.keys() == slipped.SLIPS.keys()
    assert names == set(ALL)
    assert {shape for shape, _ in engines} == set(slipped.SHAPES)
    assert any(sum(bool(of.slip) for of in all_rules) == 2 for _, all_rules in engines)


@pytest.mark.whole
def test_the_report_tells_random_slips(
    launcher: Launcher, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every note in `checks[].rules` is true, and is at a check that failed."""
    be_patient(monkeypatch)
    tally = Tally()
    for day, shapes in {"day4": ("closures", "switch", "whole"), "day5": ("local",)}.items():
        engines = {seed: slipped.drawn(seed) for seed in range(10_000, 10_100 if WHOLE else 10_010)}
        engines = {seed: (shape, found) for seed, (shape, found) in engines.items() if shape in shapes}
        sources = [submission(day, slipped.engine(found, shape)) for shape, found in engines.values()]
        reports = graded(launcher, tmp_path, day, *sources)
        for (seed, (_, all_rules)), report in zip(engines.items(), reports, strict=True):
            assert all(check.outcome is Outcome.FAILED for check in report.checks if check.rules)
            notes = [note for check in report.checks for note in check.rules]
            assert all(note.words and note.operation in ALL for note in notes)
            for of in all_rules:
                told = {note.input: note.wrote for note in notes if note.operation == of.name}
                tally.judge(seed, of, {slipped.CAUSES.get(of.slip, "")} if told else set(), told)
    assert tally.false == []
    assert tally.told >= 0.9 * tally.wrong, tally.missed
