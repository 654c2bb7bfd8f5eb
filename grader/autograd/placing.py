"""Wrong operations at the failed checks that used them: which check tells of one, and in which names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from grader.report import Fact
    from grader.topic import Failing, TestResult

LONGEST_NAME = 20
_TAKEN = frozenset({"out", "math", "np", "self", "other"})  # names with another meaning in a formula


class WrongAt(NamedTuple):
    """A wrong operation, the names of those that are made of it, and its facts in the names of a failed check."""

    operation: str
    spoils: AbstractSet[str]
    facts: Callable[[Failing], Iterable[Fact]]


def place_facts(
    failing: Sequence[Failing], wrong: Iterable[WrongAt], waiting: AbstractSet[str] | None = None
) -> dict[str, list[Fact]]:
    """Return the facts for each failed check: about every wrong operation that it used, in the names of the first check.

    Those about an operation of the first failing test, which the message is about, come first. An operation that no
    failed check is seen to use is told at a check without a cause, but not if blocked checks use it, which are `waiting`;
    None if that is not known.
    """
    found: dict[str, tuple[list[Fact], list[Fact]]] = {each.check: ([], []) for each in failing}
    for operation, spoils, facts_of in sorted(wrong, key=lambda each: not is_used(failing, each.operation)):
        users = [one for names in ((operation,), spoils) for one in failing if uses(one.results, *names)]
        if not users and (waiting is None or operation in waiting):
            continue
        home = next(iter(users or [one for one in failing if not any(found[one.check])]), None)
        if home is None:  # no test is seen to use it, and each check has a cause of its own
            continue
        facts = [*facts_of(home)]
        for other in failing:
            is_about = uses(other.results[:1], operation, *spoils)
            if other is home or is_about:
                found[other.check][not is_about].extend(facts)
    return {check: first + later for check, (first, later) in found.items() if first or later}


def is_used(failing: Sequence[Failing], operation: str) -> bool:
    """Return True if a failed check used an operation."""
    return any(uses(each.results, operation) for each in failing)


def uses(results: Sequence[TestResult], *operations: str) -> bool:
    """Return True if a test used one of these operations, in any way to apply it."""
    names = {{"[]": "getitem"}.get(each, each.partition(" ")[0]) for each in operations}
    if any(names & result.used.keys() for result in results):
        return True
    shown = (label for result in results for labels in result.used.values() for label in labels)
    return "T" in names and any(".T" in label for label in shown)


def names_in(results: Sequence[TestResult], operation: str) -> Sequence[str]:
    """Return the operands of an operation in the first visible failing test that applied it."""
    shown = (result.used for result in results if result.test.visibility == "visible")
    return next((names for used in shown if (names := used.get(operation.partition(" ")[0]))), ())


def usable(names: Sequence[str], *, two: bool) -> list[str]:
    """Return names for one operand or two: those of the test if they are plain and different; else `a` and `b`."""
    wanted = [*names[: 1 + two]]
    plain = all(name.isidentifier() and len(name) <= LONGEST_NAME and name not in _TAKEN for name in wanted)
    return wanted if plain and len({*wanted}) == 1 + two else ["a", "b"][: 1 + two]
