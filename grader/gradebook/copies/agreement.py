"""The faults that students share, and the odds that they do by chance.

A fault is something wrong that a report names exactly: a rule, a walk, an answer, a known mistake, or wrong numbers
that nothing explains. A correct submission has none, so it agrees with nobody here.

The odds of a pair, of which every number is counted in the class itself:

1. Only students with a fault are compared: `students` of them make `pairs` = students * (students - 1) / 2. A team
   that hands in one repository counts as one student.
2. A fault that `holders` of them have, the pair included, has the chance (holders - 2 + more) / students: the others
   who have it, and `more` who might. Common faults count for nothing: only those that at most one in ten others have.
3. `more` is 1 but for an odd answer: a wrong value that the author did not foresee. There it is the number of students
   who would give the same odd value by chance: the others with an odd value at this question, times the share of such
   pairs that agree in the rest of the class, at all questions. It lies between LEAST and 1: a class whose odd values
   scatter makes it small, but one idea may lead to several of them.
4. Faults with one cause count once, by the unlikeliest of them. They have one cause if they concern the same operation,
   check or answer, or if a sentence says the same about them: `=` instead of `+=` is one idea in three operations.
5. `agree` causes of the pair agree, of `causes` that either has. The chance that so many agree is the product of
   their chances times the number of ways to choose them, `comb(causes, agree)`. So what differs counts against.
6. `expected` is that chance times `pairs`: the number of such pairs in a class whose students never met. A pair is
   told if it is at most MOST_EXPECTED, and if at least FEWEST_CAUSES agree.

The causes are taken for independent. They are not quite: the same lesson leads to the same errors. That is why the
threshold is low, why common faults do not count, and why the words accuse nobody.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from grader.render.words import reading_words
from grader.report import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.report import CheckResult, Fact, Report

MOST_EXPECTED = 0.01  # pairs by chance in the whole class
RARE = 0.1  # the largest chance of a fault that counts
MOST_HOLDERS = 60  # of a fault that counts, so that a large class does not compare everybody with everybody
LEAST = 0.5  # students who would give an odd answer, too
FEWEST_CAUSES = 3  # one wrong idea may lead to two faults
FEWEST_STUDENTS = 10  # with a fault; with fewer, no fault can be rare


class Fault(NamedTuple):
    """One thing that is wrong in a submission. `key` is equal for two students who have it.

    Two faults that share one of their `ideas` probably have one cause. For an odd answer, `question` is its name.
    """

    key: str
    words: str
    ideas: frozenset[str]
    question: str = ""


@dataclass(frozen=True, slots=True)
class Handed:
    """A student or a team with the keys of their faults; `sha256` is the hash of the file, `repository` may be empty."""

    students: tuple[str, ...]
    faults: frozenset[str]
    sha256: str = ""
    repository: str = ""

    @property
    def name(self) -> str:
        """The student, or the members of the team: `ada + bob`."""
        return " + ".join(self.students)


class Shared(NamedTuple):
    """A fault that a pair shares. Of faults with one cause only the rarest `counts`."""

    words: str
    holders: int
    counts: bool


class Agreement(NamedTuple):
    """Students and teams who share the same faults. Of a group, the numbers are those of its weakest pair.

    Faults with one cause stand together, the rarest first. `agree` causes agree, and `differ` causes only one of the pair has.
    """

    students: tuple[str, ...]
    shared: tuple[Shared, ...]
    agree: int
    differ: int
    chance: float


class Comparison(NamedTuple):
    """The class: all students and teams by name, those with a fault, their pairs, the agreements, the unlikeliest first.

    A team counts as one student.
    """

    handed: dict[str, Handed]
    students: int
    pairs: int
    found: list[Agreement]

    @property
    def graded(self) -> int:
        """The number of students, each member of a team counted."""
        return sum(len(one.students) for one in self.handed.values())

    @property
    def has_teams(self) -> bool:
        """True if students share a repository."""
        return len(self.handed) < self.graded

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
        if fact.kind in {"rule", "array"} and (wrote := fact.get("wrote")):  # else two students may differ
            shown = words.get(f"{fact.about} {fact.get('input')}: {wrote}", fact.key)
            yield Fault(
                f"rule {fact.key}", shown, frozenset({f"rule {fact.about}", *fact.texts("relations")})
            )
        elif fact.kind == "walk" and (walk := check.walk):
            shown = f"{walk.words} With {walk.graph}: {', '.join(walk.student)}."
            yield Fault(f"walk {fact.key} {walk.graph}: {' '.join(walk.student)}", shown, frozenset({"walk"}))
        elif fact.kind == "answer":
            yield from _answer(fact)
    for mistake in check.mistakes:
        answer, known, _ = mistake.id.partition(": ")
        idea = f"answer {answer}" if known else f"check {check.id}"
        yield Fault(f"{check.id} {mistake.id}", mistake.text, frozenset({idea}))
    if check.readings and not (check.mistakes or derived):
        numbers = "; ".join(reading_words(row) for row in check.readings)
        yield Fault(f"{check.id}: {numbers}", f"{check.id}: {numbers}", frozenset({f"check {check.id}"}))


def _answer(fact: Fact) -> Iterator[Fault]:
    """Yield a wrong value, or all odd entries of an answer of several: one slip often spoils more than one of them."""
    name, value, odd = fact.about, fact.get("value"), ", ".join(fact.texts("odd"))
    if value:
        question = "" if fact.texts("known") else name
        yield Fault(f"answer {fact.key}", f"`{name}` is {value}.", frozenset({f"answer {name}"}), question)
    elif odd:
        yield Fault(f"answer {name}: {odd}", f"`{name}` has {odd}.", frozenset({f"answer {name}"}), name)


# --- Odds


def compare(handed: Sequence[Handed], faults: Mapping[str, Fault]) -> Comparison:
    """Compare all students; `faults` has each fault by its key."""
    handed = _with_teams(handed)
    wrong = [one for one in handed if one.faults]
    odds, pairs = _Odds(wrong, faults), math.comb(len(wrong), 2)
    groups = defaultdict[frozenset[str], list[Agreement]](list)
    for first, second, keys in _sharing(wrong, odds):
        agreement = odds.agreement(first, second, keys)
        if agreement.agree >= FEWEST_CAUSES and agreement.chance * pairs <= MOST_EXPECTED:
            groups[frozenset(keys)].append(agreement)
    found = sorted(map(_merged, groups.values()), key=lambda one: (one.chance, one.students))
    return Comparison({one.name: one for one in handed}, len(wrong), pairs, found)


def _with_teams(handed: Sequence[Handed]) -> list[Handed]:
    """Return students of one repository as one team, if the same work was graded for them."""
    teams: dict[object, Handed] = {}
    for one in handed:
        key = (one.repository.casefold(), one.sha256, one.faults) if one.repository else one.name
        known = teams.get(key)
        teams[key] = replace(known, students=(*known.students, *one.students)) if known else one
    return [*teams.values()]


def _sharing(wrong: Sequence[Handed], odds: _Odds) -> Iterator[tuple[Handed, Handed, set[str]]]:
    """Yield the pairs that share enough rare faults, with these; students of one repository are no pair."""
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
            if len(keys) >= FEWEST_CAUSES and not _one_repository(one, wrong[other]):
                yield one, wrong[other], keys


def _one_repository(first: Handed, second: Handed) -> bool:
    """Return True for students who handed in from one repository: they worked together openly."""
    return bool(first.repository) and first.repository.casefold() == second.repository.casefold()


class _Odds:
    """The odds in one class, of which `wrong` are the students with a fault."""

    def __init__(self, wrong: Sequence[Handed], faults: Mapping[str, Fault]) -> None:
        self.students, self.faults = len(wrong), faults
        self.holders = Counter(key for one in wrong for key in one.faults)
        self._order = {key: i for i, key in enumerate(faults)}
        self._odd = Counter[str]()  # question -> students with an odd answer
        self._pairs = self._agreeing = 0  # pairs of odd answers to one question, and those that agree
        for key, count in self.holders.items():
            if (question := faults[key].question) and self.is_rare(key):
                self._odd[question] += count
                self._agreeing += math.comb(count, 2)
        self._pairs = sum(math.comb(count, 2) for count in self._odd.values())

    def is_rare(self, key: str) -> bool:
        """Return True for a fault that counts."""
        return self.holders[key] <= MOST_HOLDERS and self.holders[key] - 1 <= RARE * self.students

    def agreement(self, first: Handed, second: Handed, keys: set[str]) -> Agreement:
        """Return the agreement of a pair in the rare faults `keys`."""
        share = self._share_agreeing(first, second)
        chances = {key: self._chance(key, share) for key in keys}
        causes = _causes(
            [self.faults[key] for key in sorted(keys, key=lambda k: (chances[k], self._order[k]))]
        )
        ideas = {idea for cause in causes for fault in cause for idea in fault.ideas}
        apart = [self.faults[key] for key in first.faults ^ second.faults]
        differ = len(_causes([fault for fault in apart if ideas.isdisjoint(fault.ideas)]))
        ways = math.comb(len(causes) + differ, len(causes))
        return Agreement(
            students=tuple(sorted((first.name, second.name))),
            shared=tuple(
                Shared(fault.words, self.holders[fault.key], counts=fault is cause[0])
                for cause in causes
                for fault in cause
            ),
            agree=len(causes),
            differ=differ,
            chance=min(1.0, ways * math.prod(chances[cause[0].key] for cause in causes)),
        )

    def _chance(self, key: str, share: float) -> float:
        """Return the chance of a fault: the others who have it, and those who might, among all students with a fault."""
        question = self.faults[key].question
        more = max(LEAST, min(1.0, (self._odd[question] - 1) * share)) if question else 1.0
        return (self.holders[key] - 2 + more) / self.students

    def _share_agreeing(self, first: Handed, second: Handed) -> float:
        """Return how often two odd answers to one question agree in the rest of the class.

        One agreement and one difference are added, as in Laplace's rule of succession.
        """
        mine, theirs = self._odd_of(first), self._odd_of(second)
        both = mine.keys() & theirs.keys()
        same = sum(mine[question] == theirs[question] for question in both)
        return (self._agreeing - same + 1) / (self._pairs - len(both) + 2)

    def _odd_of(self, one: Handed) -> dict[str, str]:
        """Return the student's odd answers by question."""
        return {
            self.faults[key].question: key
            for key in one.faults
            if self.faults[key].question and self.is_rare(key)
        }


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
