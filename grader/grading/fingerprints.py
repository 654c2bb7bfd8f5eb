"""Telling a mistake by its fingerprint: the same readings in every test of a check, or silence.

The part `mistakes` of a sealed file (sealed.py) holds no name, no word and no fingerprint that can be read:

    "salt": "...",
    "box/visible/test_grow": "MARK BOX MARK BOX ...",
    "MARK": "BOX"

A test's mark recognises a fingerprint, and the fingerprint opens its box: the keys of the mistakes that read so.
A key opens the name of its mistake, the words, and the numbers of all tests of the file that the mistake fails.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from grader.errors import Broken
from grader.grading.sealed import mark, read_sealed, seal, unseal
from grader.sandbox import Deadline, Proxy, StudentError, SubmissionStopped, Undefined
from grader.sandbox.proxy import kind_of
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.sandbox import Event
    from grader.topic import TestResult

DIGITS = 9
TINY = 1e-12
KEY_LETTERS = 12  # of base 64: 72 bits
ENOUGH = 3 / 4  # of a mistake's failing tests must have its fingerprint beside another slip


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
        # These names stand in the fingerprints of sealed mistakes.
        kind = "LimitExceeded" if error.limit else "ProtocolViolation" if error.forged else "JailCrashed"
        return ["stopped", kind, error.limit]
    return ["assertion"]


# --- Sealed mistakes


@dataclass(frozen=True, slots=True)
class Told:
    """A mistake whose fingerprint was met: its name, its words, and all tests that it fails, by their keys.

    A mistake that can be made in several ways is several of them, of different `way`.
    """

    way: str
    name: str
    words: str
    fails: frozenset[str]


@dataclass(frozen=True, slots=True)
class Read:
    """A mistake made in one way as the checks read it: the fingerprint of every test that it fails, by the test's key.

    A test that runs under several orders of sets may have several.
    """

    way: str
    name: str
    words: str
    fingerprints: Mapping[str, Iterable[str]]


@dataclass(frozen=True, slots=True)
class Sealed:
    """The mistakes of one side's checks."""

    salt: str
    tests: dict[str, str]
    words: dict[str, str]

    @classmethod
    def of(cls, items: Mapping[str, str]) -> Sealed:
        """Return what the items of a sealed file hold."""
        tests = {name: item for name, item in items.items() if "/" in name}
        words = {name: item for name, item in items.items() if name not in tests and name != "salt"}
        return cls(items.get("salt", ""), tests, words)

    def items(self) -> dict[str, str]:
        """Return the items for a sealed file."""
        return {"salt": self.salt, **self.tests, **self.words}

    def told(self, test: str, fingerprint: str) -> dict[str, Told]:
        """Return the mistakes that read so in this test, by their keys. Raises ValueError for a damaged box."""
        parts = self.tests.get(test, "").split()
        box = dict(zip(parts[::2], parts[1::2], strict=True)).get(mark(self.salt + test, fingerprint))
        if box is None:
            return {}
        keys = unseal(self.salt + test, fingerprint, box)
        return {key: self.opened(key) for key in _cut(keys)}

    def opened(self, key: str) -> Told:
        """Return the mistake of a key; one without words where it fails none of these tests."""
        box = self.words.get(mark(self.salt, key))
        if box is None:
            return Told(key, "", "", frozenset())
        name, words, numbers = msgspec.json.decode(
            unseal(self.salt, key, box), type=tuple[str, str, list[int]]
        )
        tests = list(self.tests)
        return Told(key, name, words, frozenset(tests[number] for number in numbers))


def seal_mistakes(mistakes: Iterable[Read], secret: str) -> Sealed:
    """Return the mistakes sealed; `secret`, which no student has, gives the keys and the salt."""
    mistakes = sorted(mistakes, key=lambda mistake: mistake.way)
    salt = _key(secret, "salt")
    keys: dict[str, dict[str, str]] = {}  # test -> fingerprint -> the keys of the mistakes
    for mistake in mistakes:
        for test, fingerprints in mistake.fingerprints.items():
            for fingerprint in dict.fromkeys(fingerprints):
                by_fingerprint = keys.setdefault(test, {})
                by_fingerprint[fingerprint] = by_fingerprint.get(fingerprint, "") + _key(secret, mistake.way)
    order = sorted(keys)
    tests = {}
    for test in order:
        of_test = salt + test
        pairs = sorted((mark(of_test, f), seal(of_test, f, both)) for f, both in keys[test].items())
        tests[test] = " ".join(" ".join(pair) for pair in pairs)
    words = {}
    for mistake in mistakes:
        if numbers := [number for number, test in enumerate(order) if test in mistake.fingerprints]:
            key = _key(secret, mistake.way)
            text = msgspec.json.encode([mistake.name, mistake.words, numbers]).decode()
            words[mark(salt, key)] = seal(salt, key, text)
    return Sealed(salt, tests, dict(sorted(words.items())))


def _key(secret: str, way: str) -> str:
    digest = hashlib.sha256(f"mistake/{len(secret)}/{secret}/{way}".encode()).digest()
    return base64.urlsafe_b64encode(digest)[:KEY_LETTERS].decode()


def _cut(keys: str) -> list[str]:
    return [keys[i : i + KEY_LETTERS] for i in range(0, len(keys), KEY_LETTERS)]


@dataclass(frozen=True, slots=True)
class Known:
    """The mistakes of one assignment, sealed, of all sides that are here."""

    sides: tuple[Sealed, ...] = ()

    def told(self, test: str, fingerprint: str) -> dict[str, Told]:
        """Return the mistakes that read so in a test, by their ways, with the tests of all sides."""
        met: dict[str, Told] = {}
        for side in self.sides:
            for key, found in side.told(test, fingerprint).items():
                fails = frozenset().union(*(other.opened(key).fails for other in self.sides))
                met[key] = Told(key, found.name, found.words, fails)
        return met


def read_known(paths: Iterable[Path]) -> Known:
    """Return the mistakes of several sealed files; a file that is absent, or has none, knows nothing.

    Raises Broken for a file that is not of the format.
    """
    sides = []
    for path in paths:
        if mistakes := read_sealed(path).mistakes:
            try:
                sides.append(Sealed.of(msgspec.convert(mistakes, dict[str, str])))
            except msgspec.ValidationError as error:
                raise Broken(f"{path}: not a sealed file: {error}; run `grade stub` again") from error
    return Known(tuple(sides))


# --- Matching


def diagnose(
    results: Sequence[TestResult], known: Known, deadline: Deadline | None = None, *, alone: bool = False
) -> dict[str, list[Told]]:
    """Return for each check the mistakes that explain all of its failing tests, by exact fingerprints.

    One mistake alone explains the check, or each failing test has one of its own; else nothing is told. What is
    still to do says nothing either way.

    Where one check was graded `alone`, a RecursionError is left out: its fingerprint is the same for every
    recursion, and the tests that tell these apart were not run. Raises OutOfTime.
    """
    deadline = deadline or Deadline()
    failing: dict[str, set[str]] = {}  # test -> its fingerprints, one for each order of sets
    used: dict[str, set[str]] = {}  # test -> the functions and operations that it applies
    for result in results:
        used.setdefault(result.test.key, set()).update(result.used)
        if (
            result.outcome is TestOutcome.FAILED
            and result.test.diagnosed
            and not (alone and _recursed(result))
        ):
            failing.setdefault(result.test.key, set()).add(result.fingerprint)
    failed = {r.test.key for r in results if r.outcome is TestOutcome.FAILED}
    passed = {r.test.key for r in results if r.outcome is TestOutcome.PASSED} - failed
    met: dict[str, dict[str, Told]] = {}
    for test, fingerprints in failing.items():
        deadline.check()
        found = [known.told(test, fingerprint) for fingerprint in fingerprints]
        alike = set(found[0]).intersection(*found[1:])
        met[test] = {way: found[0][way] for way in alike if not found[0][way].fails & passed}
    broken = {test.partition("/")[0] for test in failed}
    works = set().union(*(used[test] for test in passed if test.partition("/")[0] not in broken))
    return _Evidence(met, used, works).explanations()


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The failing tests of a run, with the mistakes whose fingerprint each has, by their ways.

    `used` are the functions and operations that a test applies, `works` those that checks apply which nothing fails.
    """

    met: Mapping[str, Mapping[str, Told]]
    used: Mapping[str, set[str]]
    works: set[str]

    def explanations(self) -> dict[str, list[Told]]:
        """Return what explains each check that is explained."""
        checks: dict[str, list[str]] = {}
        for test in self.met:
            checks.setdefault(test.partition("/")[0], []).append(test)
        every = {way: mistake for told in self.met.values() for way, mistake in told.items()}
        believed = {way for way, mistake in every.items() if self.holds(mistake, list(checks.values()))}
        found = {check: self.explanation(tests, believed) for check, tests in checks.items()}
        return {check: told for check, told in found.items() if told}

    def holds(self, mistake: Told, checks: Sequence[Sequence[str]]) -> bool:
        """Return True for a mistake that no failing test speaks against.

        In the first check that it fails, each of its tests must have its fingerprint; elsewhere too, or most of them
        where a test that it passes fails, so that something else is wrong as well. That must not be in what its first
        check is about: in what its tests apply, but for what is applied where nothing fails.
        """
        home = next(tests for tests in checks if mistake.fails & set(tests))
        if not self.agrees(mistake, home):
            return False
        about = set.intersection(*(self.used[test] for test in home if test in mistake.fails)) - self.works
        others = [test for test in self.met if test not in mistake.fails and self.used[test]]
        if any(about & self.used[test] for test in others if not self.met[test]):
            return False
        tests = [test for test in self.met if test in mistake.fails]
        exact = sum(mistake.way in self.met[test] for test in tests)
        return exact == len(tests) or (bool(others) and exact >= ENOUGH * len(tests))

    def agrees(self, mistake: Told, tests: Iterable[str]) -> bool:
        """Return True where each of these failing tests that the mistake fails has its fingerprint."""
        return all(mistake.way in self.met[test] for test in tests if test in mistake.fails)

    def explanation(self, tests: Sequence[str], believed: set[str]) -> list[Told]:
        """Return the mistakes that explain all failing tests of one check.

        Those that agree in every check of the run go first, and one that explains the tests of another one and more
        goes before that one.
        """
        every = {way: mistake for test in tests for way, mistake in self.met[test].items()}
        here = {way for way in believed & every.keys() if self.agrees(every[way], tests)}
        whole = {way for way in here if self.agrees(every[way], self.met)}
        explains = {way: {test for test, told in self.met.items() if way in told} for way in every}
        for some in (whole, here):
            ways = [some & self.met[test].keys() for test in tests]
            if in_all := set.intersection(*ways):
                ways = [{w for w in in_all if not any(explains[w] < explains[other] for other in in_all)}]
            if all(len({every[way].name for way in each}) == 1 for each in ways):
                told = {every[way].name: every[way] for each in ways for way in each}
                return list(told.values())
        return []


def _recursed(result: TestResult) -> bool:
    return isinstance(result.error, StudentError) and result.error.type == "RecursionError"
