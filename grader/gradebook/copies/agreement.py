"""The faults that students share, and the odds that they do by chance.

A fault is something wrong that a report names exactly: a rule, a walk, an answer, a known mistake, or wrong numbers
that nothing explains. A correct submission has none, so it agrees with nobody here.

The odds of a pair, of which every number is counted in the class itself:

1. Only students with a fault are compared: `students` of them make `pairs` = students * (students - 1) / 2.
2. A fault that `holders` of them have, the pair included, has the chance (holders - 1) / students: the others who
   have it, plus one. Common faults count for nothing: only those that at most one in ten others have.
3. Faults with one cause count once, by the rarest of them. They have one cause if they concern the same operation,
   check or answer, or if a sentence says the same about them: `=` instead of `+=` is one idea in three operations.
4. `agree` causes of the pair agree, of `causes` that either has. The chance that so many agree is the product of
   their chances times the number of ways to choose them, `comb(causes, agree)`. So what differs counts against.
5. `expected` is that chance times `pairs`: the number of such pairs in a class whose students never met. A pair is
   told if it is at most MOST_EXPECTED.

The causes are taken for independent. They are not quite: the same lesson leads to the same errors. That is why the
threshold is low, why common faults do not count, and why the words accuse nobody.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from grader.render.words import reading_words
from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.report import CheckResult, Fact, Report

MOST_EXPECTED = 0.01  # pairs by chance in the whole class
RARE = 0.1  # the largest chance of a fault that counts
MOST_HOLDERS = 60  # of a fault that counts, so that a large class does not compare everybody with everybody
FEWEST_CAUSES = 2
FEWEST_STUDENTS = 10  # with a fault; with fewer, no fault can be rare


class Fault(NamedTuple):
    """One thing that is wrong in a submission. `key` is equal for two students who have it.

    Two faults that share one of their `ideas` probably have one cause.
    """

    key: str
    words: str
    ideas: frozenset[str]


@dataclass(frozen=True, slots=True)
class Handed:
    """A student with the keys of their faults. `sha256` is the file's hash; `repository` may be a team's, or empty."""

    student: str
    faults: frozenset[str]
    sha256: str = ""
    repository: str = ""


class Shared(NamedTuple):
    """A fault that a pair shares. Of faults with one cause only the rarest `counts`."""

    words: str
    holders: int
    counts: bool


class Agreement(NamedTuple):
    """Students who share the same faults. Of a group, the numbers are those of its weakest pair.

    Faults with one cause stand together, the rarest first. `agree` causes agree, and `differ` causes only one of the pair has.
    """

    students: tuple[str, ...]
    shared: tuple[Shared, ...]
    agree: int
    differ: int
    chance: float


class Comparison(NamedTuple):
    """The class: all students, those with a fault, their pairs, and the agreements, the unlikeliest first."""

    graded: int
    students: int
    pairs: int
    found: list[Agreement]

    def expected(self, one: Agreement) -> float:
        """Return the number of pairs that would agree so by chance."""
        return one.chance * self.pairs


# --- Faults


def faults_of(report: Report) -> list[Fault]:
    """Return the faults that a report names, without those that follow from another."""
    failed = [check for check in report.checks if check.outcome is Outcome.FAILED and not check.see]
    derived = any(check.rules or check.walk for check in failed)
    return [fault for check in failed for fault in _faults_at(check, derived=derived)]


def _faults_at(check: CheckResult, *, derived: bool) -> Iterator[Fault]:
    """Yield the faults at one check. Where a rule or walk is wrong, numbers are `derived` from it and are no faults of their own."""
    words = {f"{rule.operation} {rule.input}: {rule.wrote}": rule.words for rule in check.rules}
    for fact in check.facts:
        if fact.kind == "rule" and fact.get("wrote"):  # else no formula is known, and two students may differ
            yield Fault(f"rule {fact.key}", words.get(fact.key, fact.key), _ideas(fact))
        elif fact.kind == "walk" and (walk := check.walk):
            shown = f"{walk.words} With {walk.graph}: {', '.join(walk.student)}."
            yield Fault(f"walk {fact.key} {walk.graph}: {' '.join(walk.student)}", shown, frozenset({"walk"}))
        elif fact.kind == "answer" and (value := fact.get("value")):
            yield Fault(
                f"answer {fact.key}", f"`{fact.about}` is {value}.", frozenset({f"answer {fact.about}"})
            )
    for mistake in check.mistakes:
        answer, known, _ = mistake.id.partition(": ")
        idea = f"answer {answer}" if known else f"check {check.id}"
        yield Fault(f"{check.id} {mistake.id}", mistake.text, frozenset({idea}))
    if check.readings and not (check.mistakes or derived):
        numbers = "; ".join(reading_words(row) for row in check.readings)
        yield Fault(f"{check.id}: {numbers}", f"{check.id}: {numbers}", frozenset({f"check {check.id}"}))


def _ideas(fact: Fact) -> frozenset[str]:
    """Return the operation, and each relation to its right rule: the same relation at another input is the same idea."""
    return frozenset({f"rule {fact.about}", *fact.texts("relations")})


# --- Odds


def compare(handed: Sequence[Handed], faults: Mapping[str, Fault]) -> Comparison:
    """Compare all students; `faults` has each fault by its key."""
    wrong = [one for one in handed if one.faults]
    odds, pairs = _Odds.of(wrong, faults), math.comb(len(wrong), 2)
    groups = defaultdict[frozenset[str], list[Agreement]](list)
    for first, second, keys in _sharing(wrong, odds):
        agreement = odds.agreement(first, second, keys)
        if agreement.agree >= FEWEST_CAUSES and agreement.chance * pairs <= MOST_EXPECTED:
            groups[frozenset(keys)].append(agreement)
    found = sorted(map(_merged, groups.values()), key=lambda one: (one.chance, one.students))
    return Comparison(len(handed), len(wrong), pairs, found)


def _sharing(wrong: Sequence[Handed], odds: _Odds) -> Iterator[tuple[Handed, Handed, set[str]]]:
    """Yield the pairs that share at least two rare faults, with these; students of one team are no pair."""
    holders = defaultdict[str, list[int]](list)
    for i, one in enumerate(wrong):
        for key in filter(odds.is_rare, one.faults):
            holders[key].append(i)
    for i, one in enumerate(wrong):
        shared = defaultdict[int, set[str]](set)
        for key in one.faults & holders.keys():
            for other in holders[key]:
                if other > i:
                    shared[other].add(key)
        for other, keys in shared.items():
            if len(keys) >= FEWEST_CAUSES and not _one_team(one, wrong[other]):
                yield one, wrong[other], keys


def _one_team(first: Handed, second: Handed) -> bool:
    """Return True for students who handed in from one repository: they worked together openly."""
    return bool(first.repository) and first.repository == second.repository


class _Odds:
    """The odds in one class of `students` with a fault; `holders` has their number for each fault."""

    def __init__(self, students: int, holders: Mapping[str, int], faults: Mapping[str, Fault]) -> None:
        self.students, self.holders, self.faults = students, holders, faults
        self._order = {key: i for i, key in enumerate(faults)}

    @classmethod
    def of(cls, wrong: Sequence[Handed], faults: Mapping[str, Fault]) -> _Odds:
        return cls(len(wrong), Counter(key for one in wrong for key in one.faults), faults)

    def chance(self, key: str) -> float:
        """Return the chance of a fault: the others who have it, plus one, among all students with a fault."""
        return (self.holders[key] - 1) / self.students

    def is_rare(self, key: str) -> bool:
        """Return True for a fault that counts."""
        return self.holders[key] <= MOST_HOLDERS and self.chance(key) <= RARE

    def agreement(self, first: Handed, second: Handed, keys: set[str]) -> Agreement:
        """Return the agreement of a pair in the rare faults `keys`."""
        causes = _causes([self.faults[key] for key in sorted(keys, key=self._rank)])
        ideas = {idea for cause in causes for fault in cause for idea in fault.ideas}
        apart = [self.faults[key] for key in first.faults ^ second.faults]
        differ = len(_causes([fault for fault in apart if ideas.isdisjoint(fault.ideas)]))
        ways = math.comb(len(causes) + differ, len(causes))
        return Agreement(
            students=tuple(sorted((first.student, second.student))),
            shared=tuple(
                Shared(fault.words, self.holders[fault.key], counts=fault is cause[0])
                for cause in causes
                for fault in cause
            ),
            agree=len(causes),
            differ=differ,
            chance=min(1.0, ways * math.prod(self.chance(cause[0].key) for cause in causes)),
        )

    def _rank(self, key: str) -> tuple[int, int]:
        """Return a sort key: the rarest first, and of two the one that a report names first."""
        return self.holders[key], self._order[key]


def _causes(faults: Sequence[Fault]) -> list[list[Fault]]:
    """Return the faults in groups that have one cause; the groups and their faults keep the order."""
    causes: list[list[Fault]] = []
    for fault in faults:
        same = [cause for cause in causes if any(fault.ideas & other.ideas for other in cause)]
        causes = [cause for cause in causes if cause not in same]
        causes.append([*(other for cause in same for other in cause), fault])
    order = {fault.key: i for i, fault in enumerate(faults)}
    return sorted((sorted(c, key=lambda f: order[f.key]) for c in causes), key=lambda c: order[c[0].key])


def _merged(pairs: Sequence[Agreement]) -> Agreement:
    """Return pairs that share the same faults as one group."""
    weakest = max(pairs, key=lambda one: (one.chance, one.students))
    return weakest._replace(students=tuple(sorted({name for one in pairs for name in one.students})))
