"""Naming a wrong answer: what a test read is its fingerprint, known mistakes have known ones.

A fingerprint file (mistakes.json) holds hashes and words, no code:

    {"format": 1,
     "mistakes": {"mul_keeps_own_factor": "Each factor was multiplied by ..."},
     "fingerprints": {"swap_rule/test_two_factors": {"<hash>": ["mul_keeps_own_factor"]}}}
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from grader.errors import Broken
from grader.sandbox import Deadline, Proxy, StudentError, SubmissionStopped, Undefined
from grader.sandbox.proxy import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from grader.sandbox import Event

FORMAT = 1
DIGITS = 9
TINY = 1e-12
MAX_TOGETHER = 3
MAX_CANDIDATES = 24  # for groups of that many
NEARLY = 0.75  # all: of the tests that a mistake fails, whatever another one hides; of all tests
ENOUGH = 1 / 5  # of them must read exactly beside a mistake that nobody knows


# --- Fingerprints


def fingerprint(
    events: Iterable[Event], rows: Iterable[Mapping[str, Any]], error: BaseException | None
) -> str:
    """The hash of what a failing test read, of the state that it left, and of how it ended.

    It fits the error, not the shape of the code: numbers by value, objects by the order
    in which the test met them, sets and tuples alike, exceptions by type and text.
    """
    normal = _Normal()
    story = [normal.of(event.value) for event in events]
    state = [[name, normal.of(value)] for row in rows for name, value in row.items()]
    text = msgspec.json.encode([story, state, normal.of(error)])
    return hashlib.sha256(text).hexdigest()[:16]


ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}")  # in Python's own text of an object; another one in each run


class _Normal:
    """Values in a form that is the same for the same error."""

    def __init__(self) -> None:
        self.seen: dict[Proxy, int] = {}

    def of(self, value: Any) -> Any:
        if value is None or isinstance(value, bool):
            return str(value)
        if isinstance(value, int | float):
            return number(value)
        if isinstance(value, str):
            return ["text", ADDRESS.sub("", value)]
        if isinstance(value, Proxy) and kind_of(value) == "function":
            return ["function"]  # a closure, a method, a partial: which, and whether twice the same, is shape
        if isinstance(value, Proxy):
            return ["object", self.seen.setdefault(value, len(self.seen) + 1)]
        if isinstance(value, BaseException):
            return _error(value)
        if isinstance(value, set | frozenset):
            return ["items", *sorted((self.of(item) for item in value), key=msgspec.json.encode)]
        if isinstance(value, list | tuple):
            return ["items", *(self.of(item) for item in value)]
        if isinstance(value, dict):
            return ["pairs", *([self.of(k), self.of(v)] for k, v in dict.items(value))]
        return [type(value).__name__]


def number(value: float) -> str:
    """A number to 9 significant digits; an int equals its float, tiny ones are 0."""
    try:
        as_float = float(value)
    except OverflowError:
        return "huge"
    if math.isfinite(as_float) and abs(as_float) < TINY:
        return "0"
    return f"{as_float:.{DIGITS}g}"


def _error(error: BaseException) -> list[str]:
    if isinstance(error, StudentError):
        # where the recursion happens to be cut depends on the shape of the code
        text = "" if error.type == "RecursionError" else error.text
        return ["error", error.type, text]
    if isinstance(error, Undefined):
        return ["undefined", error.name, *(_error(error.cause) if error.cause else [])]
    if isinstance(error, SubmissionStopped):
        return ["stopped", type(error).__name__, getattr(error, "limit", "")]
    return ["assertion"]


# --- Known mistakes


@dataclass(frozen=True, slots=True)
class Known:
    """The known mistakes of one assignment: their words, and which tests read what."""

    words: dict[str, str]
    fingerprints: dict[str, dict[str, list[str]]]

    def failing(self, mistake: str) -> set[str]:
        """The tests that this mistake fails."""
        return {t for t, by_hash in self.fingerprints.items() for ids in by_hash.values() if mistake in ids}


def read_known(paths: Iterable[Path]) -> Known:
    """Several fingerprint files as one; a file that is absent knows nothing.

    Raises Broken for a file that is not of the format.
    """
    words: dict[str, str] = {}
    fingerprints: dict[str, dict[str, list[str]]] = {}
    for path in paths:
        if not path.is_file():
            continue
        try:
            data = msgspec.json.decode(path.read_bytes(), type=_File)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Broken(f"{path}: not a fingerprint file: {error}; run `grade stub` again") from error
        if data.format != FORMAT:
            raise Broken(f"{path}: format {data.format} is not known to this version; run `grade stub` again")
        named = {m for by_hash in data.fingerprints.values() for ids in by_hash.values() for m in ids}
        if unknown := named - data.mistakes.keys():
            raise Broken(f"{path}: no words for {', '.join(sorted(unknown))}; run `grade stub` again")
        words.update(data.mistakes)
        fingerprints.update(data.fingerprints)
    return Known(words, fingerprints)


class _File(msgspec.Struct, forbid_unknown_fields=True):
    format: int
    mistakes: dict[str, str]
    fingerprints: dict[str, dict[str, list[str]]]


# --- Matching


def diagnose(
    failing: Mapping[str, set[str]], run: set[str], known: Known, deadline: Deadline | None = None
) -> dict[str, list[str]]:
    """The mistakes that explain the failing tests, for every failing test that reads as one of them does.

    `failing` maps each failing test, in the order of the checks, to its fingerprints, one for
    each order of sets; `run` is all tests that were run. A test that no mistake explains
    exactly is left out of the answer. Raises OutOfTime.
    """
    deadline = deadline or Deadline()
    evidence = _Evidence.of(failing, run, known)
    groups = _groups(evidence, deadline)
    chosen = set.intersection(*groups) if groups else _beside_unknown(evidence, deadline)
    return {test: sorted(ids & chosen) for test, ids in evidence.matches.items() if ids & chosen}


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What the tests say of one submission, and what is known of these tests."""

    matches: dict[str, set[str]]  # failing test -> the mistakes that read so
    fails: dict[str, set[str]]  # mistake -> the tests of this run that it fails
    acts: dict[str, set[str]]  # operation -> the tests that some mistake in it fails
    everywhere: set[str]  # the operations that act in nearly every test

    @classmethod
    def of(cls, failing: Mapping[str, set[str]], run: set[str], known: Known) -> _Evidence:
        matches, fails, acts = {}, defaultdict(set), defaultdict(set)
        for test, marks in failing.items():
            by_hash = known.fingerprints.get(test, {})
            matches[test] = set.intersection(*(set(by_hash.get(mark, ())) for mark in marks))
        for test, by_hash in known.fingerprints.items():
            for mistake in itertools.chain.from_iterable(by_hash.values()):
                acts[operation(mistake)].add(test)
                if test in run:
                    fails[mistake].add(test)
        everywhere = {what for what in acts if len(acts[what]) >= NEARLY * len(known.fingerprints)}
        return cls(matches, fails, acts, everywhere)

    def exact(self, mistake: str) -> set[str]:
        """The failing tests that read exactly as the mistake does."""
        return {test for test, ids in self.matches.items() if mistake in ids}

    def alone(self, mistake: str, others: Iterable[str]) -> set[str]:
        """The tests in which a mistake acts and none of the others has a part.

        Two mistakes in one operation are never alone where they meet.
        """
        tests = self.fails[mistake]
        for other in others:
            if operation(other) != operation(mistake):
                tests = tests - self.part(other)
            elif self.fails[other] & tests:
                return set()
        return tests

    def part(self, mistake: str) -> set[str]:
        """The tests in which a mistake may act beside another one: all of its operation's.

        Of an operation that acts everywhere, those that the mistake fails by itself: in the
        others it comes out right all the same.
        """
        what = operation(mistake)
        return self.fails[mistake] if what in self.everywhere else self.acts[what]


def operation(mistake: str) -> str:
    """What a mistake is about: its name up to the first underscore."""
    return mistake.partition("_")[0]


def _groups(evidence: _Evidence, deadline: Deadline) -> list[set[str]]:
    """The groups of mistakes that explain the failing tests best, all equally well.

    Every failing test must be one that a member fails. Each member must read exactly in every
    test in which it acts alone, and there must be such tests. Where several act, nothing is
    required: that reads as none of them does by itself, and it may even come out right. Best
    are the fewest mistakes, and the operations that have the most tests to themselves.
    """
    candidates = _candidates(evidence, deadline)
    for size in range(1, MAX_TOGETHER + 1):
        proven: dict[frozenset[str], int] = defaultdict(int)  # operations -> tests that tell them
        groups: dict[frozenset[str], list[set[str]]] = defaultdict(list)
        few = candidates if size < MAX_TOGETHER else candidates[:MAX_CANDIDATES]
        for group in itertools.combinations(few, size):
            deadline.check()
            alone = [evidence.alone(m, [n for n in group if n != m]) for m in group]
            if not all(own and own <= evidence.exact(m) for m, own in zip(group, alone, strict=True)):
                continue
            if evidence.matches.keys() <= set().union(*(evidence.fails[m] for m in group)):
                operations = frozenset(map(operation, group))
                groups[operations].append(set(group))
                proven[operations] = max(proven[operations], sum(map(len, alone)))
        if groups:
            most = max(proven.values())
            return [group for what in groups if proven[what] == most for group in groups[what]]
    return []


def _candidates(evidence: _Evidence, deadline: Deadline) -> list[str]:
    """The mistakes that may be in a group: nearly all of their tests fail, and no test speaks against them."""
    left = sorted(
        mistake
        for mistake in set().union(*evidence.matches.values())
        if len(evidence.fails[mistake] & evidence.matches.keys()) >= NEARLY * len(evidence.fails[mistake])
    )
    before: list[str] = []
    while left != before:
        deadline.check()
        before, operations = left, {operation(mistake) for mistake in left}
        left = [m for m in before if _free(evidence, m, operations) <= evidence.exact(m)]
    return sorted(left, key=lambda mistake: -len(evidence.exact(mistake)))


def _free(evidence: _Evidence, mistake: str, operations: set[str]) -> set[str]:
    """The tests that a mistake fails and in which none of the other operations has a part."""
    others = (evidence.acts[other] for other in operations if other != operation(mistake))
    return evidence.fails[mistake].difference(*others)


def _beside_unknown(evidence: _Evidence, deadline: Deadline) -> set[str]:
    """Beside an unknown mistake: the known ones that explain all of the first check that they fail.

    Every test that such a one fails must fail, and enough of them must read exactly. The one
    that explains the most tests comes first; what it explains needs no other.
    """
    home: dict[str, set[str]] = {}  # mistake -> the failing tests of the first check that it fails
    for mistake in sorted(set().union(*evidence.matches.values())):
        fails, exact = evidence.fails[mistake], evidence.exact(mistake)
        first = next(test for test in evidence.matches if test in fails).partition("/")[0]
        tests = {test for test in fails | evidence.matches.keys() if test.startswith(f"{first}/")}
        if tests <= exact and fails <= evidence.matches.keys() and len(exact) >= ENOUGH * len(fails):
            home[mistake] = tests
    named: set[str] = set()
    while home:
        deadline.check()
        most = max(len(evidence.exact(mistake)) for mistake in home)
        best = [mistake for mistake in home if len(evidence.exact(mistake)) == most]
        explained = set().union(*(evidence.exact(mistake) for mistake in best))
        named |= set(best) if len(best) == 1 else set()
        home = {m: tests for m, tests in home.items() if m not in best and not tests <= explained}
    return named
