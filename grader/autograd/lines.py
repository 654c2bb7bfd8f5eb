"""The place of a wrong operation in a report: its failed check, its names, its lines of the student's code.

The lines are those that the jail saw writing the wrong number (inside/lines.py).
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from grader.autograd import inside
from grader.autograd.engine import engine_of
from grader.autograd.facts import FORWARD, CauseFact, OperationFact
from grader.sandbox import Frame, Proxy, Sandbox, StudentError, SubmissionStopped, Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from grader.report import Fact, Location
    from grader.topic import Failing, TestResult

LONGEST_NAME = 20  # characters
_TAKEN = frozenset({"out", "math", "np", "self", "other"})  # names with another meaning in a formula
SECONDS = 0.2  # for all operations
MOST = 3  # lines of one number
MOST_TEXT = 50_000  # characters; in a longer cell no lines are looked for
OF_METHOD = ("result", "pairs", "early", "data", "rule")  # written by the method of an operation

Line = Annotated[int, Meta(ge=0)]
_Answer = list[dict[str, Annotated[list[Line], Meta(max_length=MOST)]]]


class Rerun(NamedTuple):
    """The request to run one operation again, with the student's functions for its rule and its method."""

    ask: Mapping[str, Any]  # as the probe takes it
    shape: str
    rule: Proxy | None
    method: Proxy | None


def read_lines(
    sandbox: Sandbox, asked: Sequence[Rerun], beside: Mapping[str, Proxy] | None = None
) -> list[OperationLines]:
    """Return the lines of each operation, from the current load of the submission; none if the jail sees none.

    `beside` are functions outside of the class; only operations of arrays have them. Raises StudentError, SubmissionStopped.
    """
    if not asked:
        return []
    proxies = [proxy for each in asked for proxy in each[2:] if proxy is not None]
    frames = dict(zip(proxies, sandbox.find_definitions(proxies), strict=True)) if proxies else {}
    begins = [[frames[proxy] if proxy is not None else None for proxy in each[2:]] for each in asked]
    blocks = {frame.block for each in begins for frame in each if frame}
    texts = {block: text for block in blocks if len(text := sandbox.text_of(block)) <= MOST_TEXT}
    plan = json.dumps([texts, [[frame.block if frame else -1 for frame in each] for each in begins]])
    files = ["application", "lines", *["arrays"] * (beside is not None)]
    try:
        answer = ask_lines(sandbox, files, "lines", plan, beside, [[*each[:2]] for each in asked])
        found = msgspec.convert(answer, _Answer)
    except NOT_READ:
        found = []
    if len(found) != len(asked):
        found = [{} for _ in asked]
    return [OperationLines(lines, *each) for lines, each in zip(found, begins, strict=True)]


NOT_READ = (StudentError, SubmissionStopped, Undefined, TypeError, ValueError, msgspec.ValidationError)


def ask_lines(sandbox: Sandbox, files: Sequence[str], name: str, *args: object) -> Any:
    """Return the reply of a helper about the engine's class and these arguments. Raises NOT_READ."""
    with sandbox.budget.within("probe", 2 * SECONDS):
        helper = inside.helper(sandbox, files, name)
        return helper(sandbox.get(engine_of(sandbox).node), *args, SECONDS)


class OperationLines(NamedTuple):
    """The lines of one operation, by what they write, in functions that begin at these frames."""

    lines: Mapping[str, Sequence[int]]
    rule: Frame | None
    method: Frame | None

    def frames(self, what: str) -> list[Frame]:
        """Return the lines that write `what`, such as `self`, `other data` or `result`; none if they are unknown."""
        in_method = what.partition(" ")[0] in OF_METHOD
        begin = self.method if in_method else self.rule
        begins = [*self.lines.get("begins", ()), 0, 0][in_method]
        if begin is None or begin.line != begins:
            return []
        return [Frame(begin.block, line, begin.function) for line in self.lines.get(what, ())]


NOT_SEEN = OperationLines({}, None, None)

# What the lines of a cause, or of a relation about the memory of an array, write; empty if no line does.
_WRITES = {
    "backward_on_input": "rule",
    "backward_ran_early": "early {}",
    "changes_data": "{} data",
    "changes_upstream": "upstream",
    "data_is_object": "result",
    "first_grad": "",
    "forward_changes_data": "data {}",
    "forward_changes_grad": "early {}",
    "grad_is_object": "{}",
    "input_not_kept": "",
    "on_input": "rule",
    "local_is_object": "pairs",
}


def written_by(fact: OperationFact) -> str:
    """Return the target of the wrong lines, as `OperationLines.frames` takes it; empty if no line writes one."""
    if isinstance(fact, CauseFact):
        return _WRITES.get(fact.cause, "").format(fact.input)
    usual = "result" if fact.input == FORWARD else "{}"
    return _WRITES.get("".join(fact.relations[:1]), usual).format(fact.input)


def with_lines(
    fact: Fact, frames: Sequence[Frame], locate: Callable[[Frame | None], Location | None]
) -> Fact:
    """Return a fact with these lines as its location; without lines, the fact unchanged."""
    places = [place for frame in frames if (place := locate(frame))]
    return msgspec.structs.replace(fact, where=places[0], more=places[1:]) if places else fact


# --- At which check, in which names


def place_facts(
    failing: Sequence[Failing],
    wrong: Iterable[tuple[str, Collection[str], Callable[[Failing], Iterable[Fact]]]],
    waiting: Collection[str] | None = None,
) -> dict[str, list[Fact]]:
    """Return the facts for each failed check, about every wrong operation that it used, in the names of the first check.

    `wrong` has, for each operation, its name, the names of operations made of it, and a function that returns its facts in
    the names of a check. `waiting` are operations that blocked checks use; None if these are unknown.

    Facts about an operation of the first failing test come first, because the message is about that test. An operation that
    no failed check is seen to use is explained at a check without a cause, but not if it is among `waiting`.
    """
    found: dict[str, tuple[list[Fact], list[Fact]]] = {each.check: ([], []) for each in failing}
    for operation, spoils, facts_of in sorted(wrong, key=lambda each: not is_used(failing, each[0])):
        users = [one for names in ((operation,), spoils) for one in failing if _uses(one.results, *names)]
        is_free = waiting is not None and operation not in waiting
        others = [one for one in failing if is_free and not any(found[one.check])]
        for home in (users or others)[:1]:
            facts = [*facts_of(home)]
            for other in failing:
                is_about = _uses(other.results[:1], operation, *spoils)
                if other is home or is_about:
                    found[other.check][not is_about].extend(facts)
    return {check: first + later for check, (first, later) in found.items() if first or later}


def is_used(failing: Sequence[Failing], operation: str) -> bool:
    """Return True if a failed check used an operation."""
    return any(_uses(each.results, operation) for each in failing)


def _uses(results: Sequence[TestResult], *operations: str) -> bool:
    """Return True if a test used one of these operations, in any way."""
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
    """Return names for one or two operands: the names in the test if they are plain and different; else `a` and `b`.

    >>> usable(["x", "w"], two=True), usable(["x * 2", "w"], two=True)
    (['x', 'w'], ['a', 'b'])
    """
    wanted = [*names[: 1 + two]]
    plain = all(name.isidentifier() and len(name) <= LONGEST_NAME and name not in _TAKEN for name in wanted)
    return wanted if plain and len({*wanted}) == 1 + two else ["a", "b"][: 1 + two]
