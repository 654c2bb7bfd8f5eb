"""Fingerprints: a known mistake matches if every failed test of a check has its fingerprint.

The part `mistakes` of a sealed file (sealed.py) shows no name, no words and no fingerprint:

    "salt": "...",
    "box/visible/test_grow": "MARK BOX MARK BOX ...",
    "MARK": "BOX"

A mark of a test recognises a fingerprint, and the fingerprint opens the box next to it: the keys of the mistakes with
this fingerprint. A key opens the name of its mistake, its words, and the numbers of all tests that the mistake fails.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from typing import TYPE_CHECKING, Any

import msgspec

from grader.errors import Broken
from grader.grading.sealed import mark, read_sealed, seal, unseal
from grader.sandbox import Deadline, Proxy, StudentError, SubmissionStopped, Undefined
from grader.sandbox.proxy import is_table, object_kind
from grader.topic import TestOutcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from grader.sandbox import ReadEvent
    from grader.topic import TestResult

DIGITS = 9
TINY = 1e-12
KEY_LETTERS = 12  # of base 64: 72 bits
ENOUGH = 3 / 4  # the share of a mistake's tests that must match if something else is wrong, too


# --- Fingerprints


def fingerprint(
    events: Iterable[ReadEvent], rows: Iterable[Mapping[str, Any]], error: BaseException | None
) -> str:
    """Return the hash of the values that a failed test read, of the state that it left, and of its error.

    It does not depend on how the code is written: numbers count by value, objects by the order in which the test met
    them, sets and tuples alike, exceptions by type and text.
    """
    normal = _Normal()
    story = [normal.of(event.value) for event in events]
    state = [[name, normal.of(value)] for row in rows for name, value in row.items()]
    text = msgspec.json.encode([story, state, normal.of(error)])
    return hashlib.sha256(text).hexdigest()[:16]


ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}")  # in Python's text of an object; differs in each run
# Messages that Python 3.14 changed, and the earlier ones: `unhashable type: 'list'`, `... to unpack (expected 2)`.
CHANGED = (
    (re.compile(r"cannot use '.*' as a .* \((unhashable type: '.*')\)"), r"\1"),
    (re.compile(r"(too many values to unpack \(expected \d+), got \d+\)"), r"\1)"),
)


class _Normal:
    """Turns values into a form that is the same for the same error."""

    def __init__(self) -> None:
        self.seen: dict[Proxy, int] = {}

    def of(self, value: Any) -> Any:
        if value is None or isinstance(value, bool):
            return str(value)
        if isinstance(value, int | float):
            return nine_digits(value)
        if isinstance(value, str):
            return ["text", ADDRESS.sub("", value)]
        if isinstance(value, Proxy) and object_kind(value) == "function":
            return ["function"]  # a closure, a method or a partial: depends on how the code is written
        if isinstance(value, Proxy):
            return ["object", self.seen.setdefault(value, len(self.seen) + 1)]
        if isinstance(value, BaseException):
            return _error(value)
        if isinstance(value, set | frozenset):
            return ["items", *sorted((self.of(item) for item in value), key=msgspec.json.encode)]
        if isinstance(value, list | tuple):
            return ["items", *(self.of(item) for item in value)]
        if is_table(value):
            return ["table", self.of(value.reset_index().to_numpy().ravel().tolist())]
        if hasattr(value, "dtype"):  # an array that was read
            return ["array", list(value.shape), *map(self.of, value.reshape(-1).tolist())]
        if isinstance(value, dict):
            return ["pairs", *([self.of(k), self.of(v)] for k, v in dict.items(value))]
        return [type(value).__name__]


def nine_digits(value: float) -> str:
    """Return a number to 9 significant digits; an int like its float, tiny numbers as 0."""
    try:
        as_float = float(value)
    except OverflowError:
        return "huge"
    if math.isfinite(as_float) and abs(as_float) < TINY:
        return "0"
    return f"{as_float:.{DIGITS}g}"


def _error(error: BaseException) -> list[str]:
    if isinstance(error, StudentError):
        # the text says where the recursion was cut, which depends on how the code is written
        text = "" if error.type == "RecursionError" else error.text
        for changed, before in CHANGED:
            text = changed.sub(before, text)
        return ["error", error.type, text]
    if isinstance(error, Undefined):
        return ["undefined", error.name, *(_error(error.cause) if error.cause else [])]
    if isinstance(error, SubmissionStopped):
        # The fingerprints of sealed mistakes contain these names.
        kind = "LimitExceeded" if error.limit else "ProtocolViolation" if error.forged else "JailCrashed"
        return ["stopped", kind, error.limit]
    return ["assertion"]


# --- Sealed mistakes


class Match(msgspec.Struct, frozen=True):
    """A mistake that matches a test's fingerprint: its name, its words, and the keys of all tests that it fails.

    A mistake that can be made in several ways has a match for each `way`.
    """

    way: str
    name: str
    words: str
    fails: frozenset[str]


class MistakeTests(msgspec.Struct, frozen=True):
    """A mistake made in one way, with its fingerprints in every test that it fails, by the key of the test.

    A test that runs under several orders of sets may have several fingerprints.
    """

    way: str
    name: str
    words: str
    fingerprints: Mapping[str, Iterable[str]]


class SealedMistakes(msgspec.Struct, frozen=True):
    """The sealed mistakes of an assignment, by the fingerprints of its visible tests."""

    salt: str = ""
    tests: dict[str, str] = {}
    words: dict[str, str] = {}

    @classmethod
    def of(cls, items: Mapping[str, str]) -> SealedMistakes:
        """Return the mistakes in the items of a sealed file."""
        tests = {name: item for name, item in items.items() if "/" in name}
        words = {name: item for name, item in items.items() if name not in tests and name != "salt"}
        return cls(items.get("salt", ""), tests, words)

    def items(self) -> dict[str, str]:
        """Return the items for a sealed file."""
        return {"salt": self.salt, **self.tests, **self.words}

    def matches(self, test: str, fingerprint: str) -> dict[str, Match]:
        """Return the mistakes with this fingerprint in a test, by their keys. Raises ValueError for a damaged box."""
        parts = self.tests.get(test, "").split()
        box = dict(zip(parts[::2], parts[1::2], strict=True)).get(mark(self.salt + test, fingerprint))
        if box is None:
            return {}
        keys = unseal(self.salt + test, fingerprint, box)
        each = (keys[i : i + KEY_LETTERS] for i in range(0, len(keys), KEY_LETTERS))
        return {key: self._open_match(key) for key in each}

    def _open_match(self, key: str) -> Match:
        """Return the mistake of a key, without words if it fails none of these tests."""
        box = self.words.get(mark(self.salt, key))
        if box is None:
            return Match(key, "", "", frozenset())
        name, words, numbers = msgspec.json.decode(
            unseal(self.salt, key, box), type=tuple[str, str, list[int]]
        )
        tests = list(self.tests)
        return Match(key, name, words, frozenset(tests[number] for number in numbers))


def seal_mistakes(mistakes: Iterable[MistakeTests], secret: str) -> SealedMistakes:
    """Seal mistakes. The keys and the salt come from `secret`, which no student has."""
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
    return SealedMistakes(salt, tests, dict(sorted(words.items())))


def _key(secret: str, way: str) -> str:
    digest = hashlib.sha256(f"mistake/{len(secret)}/{secret}/{way}".encode()).digest()
    return base64.urlsafe_b64encode(digest)[:KEY_LETTERS].decode()


def read_known(path: Path) -> SealedMistakes:
    """Return the mistakes of a sealed file; a missing file has none. Raises Broken for a damaged file."""
    try:
        return SealedMistakes.of(msgspec.convert(read_sealed(path).mistakes, dict[str, str]))
    except msgspec.ValidationError as error:
        raise Broken(
            f"{path}: this file cannot be read ({error}); get it from the course again, or write it with `grade stub`"
        ) from error


# --- Matching


def diagnose(
    results: Sequence[TestResult],
    known: SealedMistakes,
    deadline: Deadline | None = None,
    *,
    single: bool = False,
) -> dict[str, list[Match]]:
    """Return, for each check, the mistakes that explain all of its failed tests by exact fingerprints.

    Either one mistake explains the whole check, or each failed test has a mistake; else the check gets none. Tests with
    the outcome `todo` do not count.

    If only one check was graded (`single`), a RecursionError does not count: every recursion has the same fingerprint,
    and the tests that distinguish them did not run. Raises OutOfTime.
    """
    deadline = deadline or Deadline()
    failing: dict[str, set[str]] = {}  # test -> its fingerprints, one for each order of sets
    used: dict[str, set[str]] = {}  # test -> the functions and operations that it uses
    for result in results:
        used.setdefault(result.test.key, set()).update(result.used)
        endless = isinstance(result.error, StudentError) and result.error.type == "RecursionError"
        if result.outcome is TestOutcome.FAILED and result.test.diagnosed and not (single and endless):
            failing.setdefault(result.test.key, set()).add(result.fingerprint)
    failed = {r.test.key for r in results if r.outcome is TestOutcome.FAILED}
    passed = {r.test.key for r in results if r.outcome is TestOutcome.PASSED} - failed
    met: dict[str, dict[str, Match]] = {}
    for test, fingerprints in failing.items():
        deadline.check()
        found = [known.matches(test, fingerprint) for fingerprint in fingerprints]
        alike = set(found[0]).intersection(*found[1:])
        met[test] = {way: found[0][way] for way in alike if not found[0][way].fails & passed}
    broken = {test.partition("/")[0] for test in failed}
    works = set().union(*(used[test] for test in passed if test.partition("/")[0] not in broken))
    return _FailedTests(met, used, works).explanations()


class _FailedTests(msgspec.Struct, frozen=True):
    """The failed tests of a run, each with the mistakes that match its fingerprint, by their ways.

    `used` has the functions and operations that each test uses, `works` those of checks without a failed test.
    """

    met: Mapping[str, Mapping[str, Match]]
    used: Mapping[str, set[str]]
    works: set[str]

    def explanations(self) -> dict[str, list[Match]]:
        """Return the mistakes that explain each check; checks without such a mistake are left out."""
        checks: dict[str, list[str]] = {}
        for test in self.met:
            checks.setdefault(test.partition("/")[0], []).append(test)
        every = {way: mistake for matches in self.met.values() for way, mistake in matches.items()}
        believed = {way for way, mistake in every.items() if self.holds(mistake, list(checks.values()))}
        found = {check: self.explanation(tests, believed) for check, tests in checks.items()}
        return {check: matches for check, matches in found.items() if matches}

    def holds(self, mistake: Match, checks: Sequence[Sequence[str]]) -> bool:
        """Return True for a mistake that no failed test contradicts.

        In the first check that the mistake fails, every failed test must match. In the other checks every test must
        match, too, or most of them if a test fails that the mistake would pass: then something else is wrong as well.
        This other fault must lie outside the subject of the first check: the functions and operations that its tests
        use and that no working check uses.
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

    def agrees(self, mistake: Match, tests: Iterable[str]) -> bool:
        """Return True if the mistake matches each of these failed tests that it would fail."""
        return all(mistake.way in self.met[test] for test in tests if test in mistake.fails)

    def explanation(self, tests: Sequence[str], believed: set[str]) -> list[Match]:
        """Return the mistakes that explain all failed tests of one check.

        Mistakes that agree with every check of the run come first. A mistake replaces others that explain only some of
        its tests.
        """
        every = {way: mistake for test in tests for way, mistake in self.met[test].items()}
        here = {way for way in believed & every.keys() if self.agrees(every[way], tests)}
        whole = {way for way in here if self.agrees(every[way], self.met)}
        explains = {way: {test for test, matches in self.met.items() if way in matches} for way in every}
        for some in (whole, here):
            ways = [some & self.met[test].keys() for test in tests]
            if in_all := set.intersection(*ways):
                ways = [{w for w in in_all if not any(explains[w] < explains[other] for other in in_all)}]
            if all(len({every[way].name for way in each}) == 1 for each in ways):
                matches = {every[way].name: every[way] for each in ways for way in each}
                return list(matches.values())
        return []
