"""Which of the student's functions a failing test points at, told from where all tests went.

What goes wrong in a function shows in the tests that go through it. The measure is that of Ochiai
(Abreu, Zoeteweij, van Gemund, "On the accuracy of spectrum-based fault localization", 2007): the
failing tests of a function, over the root of all failing tests times all of its tests. The best one
explains its failing tests, and the next one what is then left. Where two are as good there is no
place: silence is better than the wrong one.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from grader.diagnosis import operation
from grader.report import Outcome
from grader.sandbox import LATER, ROOT, Deadline, Frame, StudentError, Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from grader.suite import Test, TestResult

LEAST_SHARE = 0.1  # of a function's tests must fail, or something else is wrong
NEARLY, MOST_AT_ONCE = 0.85, 2  # where nearly everything fails, more mistakes at once are no explanation
_OF_SEVERAL = frozenset({"rules", "every"})  # first words of mistakes in several operations
_MAKES_LEAVES = frozenset({"__init__", "__new__", "__post_init__"})


def places(
    results: Sequence[TestResult],
    named: Mapping[str, Iterable[str]] | None = None,
    mistakes: Iterable[str] = (),
    deadline: Deadline | None = None,
) -> dict[Test, Frame]:
    """For each test that did not pass, the place to look at; nothing where that cannot be told.

    The engine is judged by the tests that read no answer. A test that read one points at its line when
    nothing that it went through is to blame. `named` are the mistakes that explain a test, by its key:
    where they are about a function that it went through, the place is there or nowhere, and it is in no
    function that other ones of all `mistakes` are about.
    """
    named = named or {}
    everywhere = {mistake for ids in named.values() for mistake in ids}
    known = {operation(mistake) for mistake in mistakes}
    engine = [r for r in results if r.outcome in (Outcome.PASSED, Outcome.FAILED) and not r.answers]
    went = {r.test: r.went.units for r in engine}
    bad = {r.test for r in engine if r.outcome is Outcome.FAILED and r.went.units}
    blamed, unsure = _blame(went, bad, deadline or Deadline())
    forward = {
        place for place, tests in blamed.items() if any(r.test in tests and _is_forward(r) for r in engine)
    }
    found = {}
    for result in results:
        if result.outcome not in (Outcome.FAILED, Outcome.TODO) or result.has_place:
            continue
        mine = {unit.place: unit for unit in result.went.units}
        if mine.keys() & (unsure | blamed.keys()) and result.answers:
            continue  # the engine or the answer
        guilty = next((place for place, tests in blamed.items() if result.test in tests), None)
        explained = named.get(result.test.key, ())
        about = [] if result.answers else _about(mine, explained or everywhere)
        if about and guilty not in about:
            guilty = about[0] if explained and len(about) == 1 else None
        elif guilty and not about and _is_elsewhere(guilty, explained, known):
            guilty = None
        if guilty is not None:
            rule = mine[guilty].rule
            found[result.test] = guilty if guilty in forward or rule is None else rule
        elif result.went.answer:
            found[result.test] = result.went.answer
    return found


def _about(units: Mapping[Frame, Unit], mistakes: Iterable[str]) -> list[Frame]:
    """The functions that these mistakes are about, by their names: `mul_assigns` is about `__mul__`.

    Of a method that only calls the function of its name, the function.
    """
    subjects = {_subject(mistake) for mistake in mistakes}
    found = [place for place in units if _words(place.function) & subjects]
    return [place for place in found if not units[place].role & ROOT] or found


def _subject(mistake: str) -> str:
    """What a mistake is about, as its function is called: `sub_reflected_adds` is about `__rsub__`."""
    what = operation(mistake)
    return f"r{what}" if mistake.startswith(f"{what}_reflected_") else what


def _is_elsewhere(place: Frame, explained: Iterable[str], known: set[str]) -> bool:
    """Whether the mistakes that explain a test are each about one operation, and this is another one."""
    operations = {operation(mistake) for mistake in explained}
    return bool(operations) and not operations & _OF_SEVERAL and bool(_words(place.function) & known)


def _words(function: str) -> set[str]:
    """What a mistake about this function may be called by."""
    name = function.rpartition(".")[2]
    if name.startswith("_") and not name.startswith("__"):
        return set()  # a helper, or the one rule of all operations
    return {word.replace("truediv", "div") for word in name.strip("_").split("_")}


def _suspects(went: Mapping[Test, Iterable[Unit]]) -> set[Frame]:
    """Operations and their rules: neither what makes leaves, nor helpers, nor a rule of all operations."""
    units = {unit for found in went.values() for unit in found}
    rules = Counter(rule for _, rule in {(u.place, u.rule) for u in units})
    return {
        u.place
        for u in units
        if u.role & (ROOT | LATER)
        and u.place.function.rpartition(".")[2] not in _MAKES_LEAVES
        and rules[u.place] < 2
    }


def _blame(
    went: Mapping[Test, Sequence[Unit]], bad: AbstractSet[Test], deadline: Deadline
) -> tuple[dict[Frame, set[Test]], set[Frame]]:
    """The functions that explain failing tests, best first, and those that could not be told apart."""
    suspects, through = _suspects(went), _through(went)
    rules = {unit.rule: unit.place for units in went.values() for unit in units if unit.rule}
    roots = {unit.place for units in went.values() for unit in units if unit.role & ROOT}
    blamed: dict[Frame, set[Test]] = {}
    unsure: set[Frame] = set()
    left = {test for test in bad if any(unit.place in suspects for unit in went[test])}
    while left:
        deadline.check()
        scores = {p: _ochiai(through[p], left, bad) for p in suspects if through[p] & left}
        best = max(scores.values())
        tied = {p for p, score in scores.items() if math.isclose(score, best)}
        # Of an operation and its rule, the operation; two that are each other's rule are both kept.
        tied = {p for p in tied if rules.get(p) not in tied} or tied
        tied = tied if len(tied & roots) != 1 else tied & roots  # ... or what it calls
        for place in sorted(tied, key=lambda p: (p.block, p.line)):
            mine = (left & through[place]).difference(*(through[p] for p in tied if p != place))
            if mine and len(mine) >= LEAST_SHARE * len(through[place]):
                blamed[place] = mine
            else:
                unsure.add(place)
        left = left.difference(*(through[place] for place in tied))
    if _everything(through, suspects, bad) and len(blamed) + len(unsure) > MOST_AT_ONCE:
        return {}, suspects
    return blamed, unsure


def _through(went: Mapping[Test, Iterable[Unit]]) -> dict[Frame, set[Test]]:
    through: dict[Frame, set[Test]] = {}
    for test, units in went.items():
        for unit in units:
            through.setdefault(unit.place, set()).add(test)
    return through


def _everything(through: Mapping[Frame, set[Test]], suspects: set[Frame], bad: AbstractSet[Test]) -> bool:
    """Whether something that is no suspect, as what makes the leaves, explains all that fails."""
    return any(
        tests >= bad and _ochiai(tests, bad, bad) > NEARLY
        for p, tests in through.items()
        if p not in suspects
    )


def _ochiai(tests: set[Test], left: AbstractSet[Test], bad: AbstractSet[Test]) -> float:
    """How well it explains what is left; a test that another one explains counts neither way."""
    failing = len(tests & left)
    if not failing:
        return 0.0
    return failing / math.sqrt(len(left) * (failing + len(tests - bad)))


def _is_forward(result: TestResult) -> bool:
    """Whether the forward pass is wrong: a value that is no leaf's, or no object at all."""
    if result.failure and result.failure.readings:
        name, _, what = result.failure.readings[0].label.rpartition(".")
        return what == "data" and name not in result.named
    if result.failure:
        return result.failure.made
    return not isinstance(result.error, StudentError)
