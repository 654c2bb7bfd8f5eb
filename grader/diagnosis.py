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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from grader.errors import Broken
from grader.sandbox import Proxy, StudentError, SubmissionStopped, Undefined
from grader.sandbox.proxy import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from grader.sandbox import Event

FORMAT = 1
DIGITS = 9
TINY = 1e-12
MAX_TOGETHER = 3
MAX_CANDIDATES = 24
NEARLY = 0.75


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
            return ["text", value]
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
            return ["pairs", *([self.of(k), self.of(v)] for k, v in value.items())]
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


def diagnose(failing: Mapping[str, set[str]], run: set[str], known: Known) -> dict[str, list[str]]:
    """The mistakes that explain the failing tests, for every failing test that they explain.

    `failing` maps each failing test, in the order of the checks, to its fingerprints, one for
    each order of sets; `run` is all tests that were run. A test that no mistake explains
    exactly is left out of the answer.
    """
    matches = {
        test: set.intersection(*(set(known.fingerprints.get(test, {}).get(mark, ())) for mark in marks))
        for test, marks in failing.items()
    }
    fails = {
        mistake: mine
        for mistake in sorted(set().union(*matches.values()))
        if (mine := known.failing(mistake) & run) <= matches.keys()
    }
    chosen = _together(fails, matches) or _whole_checks(fails, matches)
    return {t: sorted(ids & chosen) for t, ids in matches.items() if ids & chosen}


def _together(fails: dict[str, set[str]], matches: dict[str, set[str]]) -> set[str]:
    """The few mistakes that explain the most failing tests; a further one must explain more than one.

    Each must read exactly in the tests that fail because of it alone, and there must be
    such tests. Where several groups are as good, what they have in common is named.
    """
    best = (-math.inf, 0)
    winners: list[set[str]] = []
    for size in range(1, MAX_TOGETHER + 1):
        for group in itertools.combinations(list(fails)[:MAX_CANDIDATES], size):
            alone = [fails[m].difference(*(fails[n] for n in group if n != m)) for m in group]
            if all(_reads_as(m, own, matches, size) for m, own in zip(group, alone, strict=True)):
                explained = sum(1 for ids in matches.values() if ids.intersection(group))
                score = explained - size, sum(map(len, alone))
                if score > best:
                    best, winners = score, []
                if score == best:
                    winners.append(set(group))
    return set.intersection(*winners) if winners else set()


def _reads_as(mistake: str, tests: set[str], matches: dict[str, set[str]], together: int) -> bool:
    """Whether these tests read as the mistake does; beside others nearly all must.

    A test that one mistake passes by luck (a * a hides exchanged factors) may still add to
    what another one does to it.
    """
    exact = sum(mistake in matches[test] for test in tests)
    return exact > 0 and exact >= len(tests) * (1 if together == 1 else NEARLY)


def _whole_checks(fails: dict[str, set[str]], matches: dict[str, set[str]]) -> set[str]:
    """Beside an unknown mistake: the known ones that explain all of the first check that they fail.

    The one that explains the most tests comes first; what it explains needs no other.
    """
    home: dict[str, list[str]] = {}  # mistake -> the failing tests of the first check that it fails
    for mistake, mine in fails.items():
        first = next(test for test in matches if test in mine).partition("/")[0]
        tests = [test for test in matches if test.startswith(f"{first}/")]
        if all(mistake in matches[test] for test in tests):
            home[mistake] = tests
    exact = {mistake: {t for t, ids in matches.items() if mistake in ids} for mistake in home}
    named: set[str] = set()
    while home:
        most = max(len(exact[mistake]) for mistake in home)
        best = [mistake for mistake in home if len(exact[mistake]) == most]
        explained = set().union(*(exact[mistake] for mistake in best))
        named |= set(best) if len(best) == 1 else set()
        home = {m: tests for m, tests in home.items() if m not in best and not explained.issuperset(tests)}
    return named
