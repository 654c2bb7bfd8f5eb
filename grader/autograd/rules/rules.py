"""The rules of the student's operations, read back: causes that no formula shows first, then statements.

What the jail answered (probe.py) is compared with the right rules, and what differs is searched for (search.py).
Only what was verified on fresh numbers is told.
"""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from grader.autograd.rules.edits import UPSTREAM
from grader.autograd.rules.expressions import Points, negated, parse, replaced, text, tidy
from grader.autograd.rules.observations import Observation, Seen
from grader.autograd.rules.probe import ask_all
from grader.autograd.rules.search import FEWEST, Rule, read_rules
from grader.autograd.words import cause, sentences
from grader.report import RuleNote
from grader.sandbox import StudentError, SubmissionStopped
from grader.topic import Explanation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from grader.autograd.rules.operations import Operation
    from grader.autograd.rules.probe import Number, Row, Tried
    from grader.report import Where
    from grader.sandbox import Deadline, Frame, Proxy, Sandbox
    from grader.topic import Failing, TestResult

# What no formula shows, with its meaning. {kind} and {error} are told with those that name them.
CAUSES = {
    "no_backward": "the result has no `_backward`",
    "backward_none": "the result's `_backward` is None",
    "backward_not_callable": "the result's `_backward` is no function",
    "backward_default": "the result's `_backward` is the one of a leaf, which does nothing",
    "backward_unset": "the operation defines a function, and the result's `_backward` is still the one of a leaf",
    "backward_on_input": "the operation replaces `_backward` of an input",
    "backward_ran_early": "the operation's `_backward` runs during the forward pass",
    "backward_raises": "`_backward` raises {error}",
    "raises": "the operation raises {error}",
    "number_left_fails": "with a plain number on the left it raises {error}",
    "number_right_fails": "with a plain number on the right it raises {error}",
    "returns_no_value": "the forward pass returns {kind}, not a Value",
    "data_is_object": "the result's data is {kind}, not a number",
    "grad_is_object": "the input's gradient becomes {kind}, not a number",
    "forward_changes_data": "the forward pass changes the data of the input",
    "changes_data": "`_backward` changes the data of the input, or of the result",
    "changes_upstream": "`_backward` changes the gradient of the result",
    "changes_older_node": "the operation changes a node that it was not applied to",
    "reads_later_node": "`_backward` does something else once the operation was applied to other values",
}


NUMBER = "2"  # stands for any plain number in what is told


class Cause(NamedTuple):
    """Something that no formula shows: a key of CAUSES, the input or `out`, and what belongs to it."""

    id: str
    input: str = "out"
    wrote: str = ""
    error: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Wrong:
    """An operation that is wrong: causes or rules, read on two values or with a number on one side.

    `rule` is what `_backward` was called, `method` what carries out the operation. `spoils` are operations that are
    made of it, and wrong as well.
    """

    operation: Operation
    variant: str
    found: tuple[Rule | Cause, ...]
    shape: str = ""
    rule: Proxy | None = None
    method: Proxy | None = None
    spoils: frozenset[str] = frozenset()

    @property
    def beside_number(self) -> bool:
        """True where a plain number stands in the place of one of two Values."""
        return self.operation.binary and self.variant != "values"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs as they are reported: beside a number, the Value is `self`."""
        return ("self",) if self.beside_number else tuple(self.operation.rules)

    @property
    def errors(self) -> set[str]:
        """The errors that were raised."""
        return {cause.error for cause in self.found if isinstance(cause, Cause) and cause.error}

    def value_in(self, names: tuple[str, ...]) -> str:
        """A name for the one Value."""
        return next((name for name in names if name.isidentifier() and name not in {"n", "math"}), "a")

    def call(self, names: tuple[str, ...]) -> dict[str, str]:
        """The application in words, where it is not the usual one."""
        if not self.beside_number:
            return {}
        sides = self.value_in(names), NUMBER
        return {"call": self.operation.applied(*(sides if self.variant == "number_right" else sides[::-1]))}


def read_wrong(sandbox: Sandbox, operations: Sequence[Operation]) -> list[Wrong]:
    """Return what is wrong about the operations of a submission.

    Raises StudentError, SubmissionStopped, OutOfTime.
    """
    tried = ask_all(sandbox, operations)
    alive = {code for each in tried if not each.is_idle for code in each.trial.codes}
    return _judged([_Reading(each, alive, sandbox.deadline) for each in tried])


class _Reading:
    """One variant of an operation as it was read, against the right rules."""

    def __init__(self, tried: Tried, alive: set[int], deadline: Deadline) -> None:
        self.operation, self.trial, self.deadline = tried.ask.operation, tried.trial, deadline
        self.tried, self.rows = tried, tried.rows
        # One method for all operations is a leaf's, too: that it does nothing here is a rule.
        self.switches = tried.is_idle and bool(alive & set(tried.trial.codes))

    @functools.cached_property
    def found(self) -> list[Rule | Cause]:
        """The causes or, without any, the wrong rules. Raises OutOfTime."""
        return self._causes() or self._rules()

    @property
    def derived(self) -> bool:
        """True for what may be made of other operations."""
        return self.trial.composite or bool(self.trial.uses) or self.beside_number

    @property
    def beside_number(self) -> bool:
        """True where a plain number stands in the place of one of two Values."""
        return self.operation.binary and self.trial.variant != "values"

    @functools.cached_property
    def forward_only(self) -> bool:
        """True for an engine without gradients, and where the result is one of the inputs."""
        returned = any("returns_input" in row.notes for _, _, row in self.rows)
        return returned or self.trial.shape == "forward"

    @property
    def inputs(self) -> dict[str, str]:
        """The inputs that are Values: their name in a row."""
        sides = {"values": ("self", "other"), "number_left": ("other",)}.get(self.trial.variant, ("self",))
        return {name: "left" if name == "self" else "right" for name in sides}

    @property
    def key(self) -> tuple[str, str]:
        """The operation and which of its methods carries this variant out."""
        return self.operation.name, "number_left" if self.trial.variant == "number_left" else "values"

    # Causes

    def _causes(self) -> list[Rule | Cause]:
        trial = self.trial
        if trial.stuck or not (trial.again or trial.error):
            return []
        if not self.rows:
            return [self._raised()] if trial.error else []
        causes = list(self._of_rows())
        if not causes and not trial.later:
            causes = [Cause("reads_later_node")]
        return [*causes]

    def _raised(self) -> Cause:
        trial = self.trial
        if trial.stage == "backward":
            return Cause("backward_raises", error=trial.error)
        return Cause(f"{trial.variant}_fails" if self.beside_number else "raises", error=trial.error)

    def _of_rows(self) -> Iterator[Cause]:
        """Yield what is so at every point where it shows; of what is changed, at any."""
        notes = [set(row.notes.split()) for _, _, row in self.rows]
        before = [any(point[f"{name}.grad"] for name in self.inputs) for _, point, _ in self.rows]
        shown = [each for each, some in zip(notes, before, strict=True) if some]  # a 0 set to 0 does not show
        always, ever = set.intersection(*(shown or notes)), set.union(*notes)
        for note, kind in (("returns_none", "None"), ("returns_number", "a plain number")):
            if note in always:
                yield Cause("returns_no_value", kind=kind)
                return
        unset = always & {"default", "none", "missing", "not_callable"} if not self.switches else set()
        if "on_input" in always and unset:
            yield Cause("backward_on_input")
        elif "ran_early" in always or (unset and self.trial.early):
            yield Cause("backward_ran_early")
        elif unset:
            (note, *_) = unset
            unset_or_default = "backward_unset" if self.trial.defines else "backward_default"
            yield Cause({**_UNSET, "default": unset_or_default}[note])
        else:
            yield from self._changes(ever)

    def _changes(self, ever: set[str]) -> Iterator[Cause]:
        for note in ("forward_changes", "changes"):
            for name in ("self", "other", "out"):
                if f"{note}_{name}" in ever:
                    yield Cause(f"{note}_data", name)
        for note, name in (("changes_upstream", "changes_upstream"), ("changes_older", "changes_older_node")):
            if note in ever:
                yield Cause(name)
        if kind := self._kind("out"):
            yield Cause("data_is_object", kind=kind)
        for name, side in self.inputs.items():
            if not self.forward_only and (kind := self._kind(side)):
                yield Cause("grad_is_object", name, kind=kind)

    def _kind(self, side: str) -> str:
        """Name what stands at every point where a number belongs; empty where there is a number."""
        found = {getattr(row, side) for _, _, row in self.rows}
        return _KINDS.get(found.pop(), "") if len(found) == 1 else ""

    # Rules

    def _rules(self) -> list[Rule | Cause]:
        """The statements that give the engine's numbers where these are not the right ones."""
        if self.trial.stuck or not self.trial.again:
            return []
        tried, fresh = self.observations
        rules = read_rules(self.operation, tried, fresh, self.deadline)
        if self.derived and any(rule.input == "out" for rule in rules):
            rules = [rule for rule in rules if rule.input == "out"]  # the others follow from it
        return [rule for rule in rules if not self.forward_only or rule.input == "out"]

    @functools.cached_property
    def observations(self) -> tuple[list[Observation], list[Observation]]:
        """The applications that gave numbers: those to search with, and those to verify on."""
        tried, fresh = list[Observation](), list[Observation]()
        rows = [(is_fresh, self._before(point, row), row) for is_fresh, point, row in self.rows]
        right = self._right_after([before for _, before, _ in rows])
        for place, (is_fresh, before, row) in enumerate(rows):
            out = _float(row.out)
            after = {name: _float(getattr(row, side)) for name, side in self.inputs.items()}
            if self.forward_only:
                after = {}
            after = {name: values[place] for name, values in right.items() if name not in after} | after
            known = {name: number for name, number in after.items() if number is not None}
            if out is not None and len(known) == len(after) and _float(row.up) is not None:
                (fresh if is_fresh else tried).append(Observation(before, out, known))
        return tried, fresh

    def _before(self, point: Mapping[str, float], row: Row) -> dict[str, float]:
        up = _float(row.up)
        before = {**point, "out.grad": math.nan if up is None else up}
        if self.tried.clears:
            before |= dict.fromkeys([f"{name}.grad" for name in self.operation.rules], 0.0)
        return before

    def _right_after(self, before: Sequence[Mapping[str, float]]) -> dict[str, list[float | None]]:
        """The right gradients of inputs that have none here: of plain numbers, or of an engine without any."""
        without = [n for n in self.operation.rules if n not in self.inputs or self.forward_only]
        if not without:
            return {}
        out = Points(before).values(parse(self.operation.out))
        known = Points([{**each, "out.data": value} for each, value in zip(before, out, strict=True)])
        return {
            name: [
                *known.apply(
                    "+", known.values(f"{name}.grad"), known.values(parse(self.operation.rules[name]))
                )
            ]
            for name in without
        }

    @functools.cached_property
    def is_right(self) -> bool:
        """True where every application gave the right numbers."""
        if self.found or self.trial.stuck or not self.trial.again:
            return False
        seen = Seen(self.operation, [each for part in self.observations for each in part])
        rules = {name: parse(rule) for name, rule in self.operation.rules.items()}
        enough = len(seen.observations) >= 2 * FEWEST and seen.forward_right
        return enough and all(seen.is_right(name, seen.points.values(rule)) for name, rule in rules.items())


_UNSET = {"none": "backward_none", "missing": "no_backward", "not_callable": "backward_not_callable"}
_KINDS: dict[Number, str] = {"object": "a Value", "none": "None", "other": "something that is no number"}
_NOT_FINITE = {"nan", "inf", "-inf"}


def _float(number: Number) -> float | None:
    if isinstance(number, str):
        return float(number) if number in _NOT_FINITE else None
    return number


def _judged(readings: Sequence[_Reading]) -> list[Wrong]:
    """Keep what is wrong of its own: an operation made of others is told only where these are right."""
    told = [reading for reading in readings if not _is_doubtful(reading, readings) and reading.found]
    others = [
        reading for reading in readings if reading.derived and reading not in told and not reading.is_right
    ]
    return [
        Wrong(
            *(r.operation, r.trial.variant, tuple(r.found), r.trial.shape, r.tried.rule, r.tried.method),
            frozenset(other.operation.name for other in others if r in _parts(other, readings)),
        )
        for r in told
    ]


def _is_doubtful(reading: _Reading, readings: Sequence[_Reading]) -> bool:
    """True where what is wrong may come of another operation, or of the same one on two Values."""
    if reading.derived and not reading.tried.complete:
        return True
    same = [r for r in readings if r.operation is reading.operation and r.trial.variant == "values"]
    if reading.beside_number and not all(r.is_right for r in same):
        return True
    return not all(r.is_right for r in _parts(reading, readings))


def _parts(reading: _Reading, readings: Sequence[_Reading]) -> list[_Reading]:
    """The other operations that one calls or, where that is not known, whose rules its nodes may have."""
    others = [r for r in readings if r.operation is not reading.operation]
    used = [r for r in others if r.key in reading.trial.uses]
    if used or not reading.derived:
        return used
    codes = set(reading.trial.codes)
    return [r for r in others if not r.derived and codes & set(r.trial.codes)]


# Telling


def explain_rules(
    failing: Sequence[Failing],
    waiting: AbstractSet[str],
    sandbox: Sandbox,
    operations: Sequence[Operation],
    locate: Callable[[Frame | None], Where | None],
) -> dict[str, Explanation]:
    """Tell each wrong operation at every failed check that used it, in the names of the first one.

    One that only checks use which wait is told when they no longer do. Where no failing test used anything of the
    engine, nothing is asked. Raises OutOfTime.
    """
    concerned = [each for each in failing if any(result.used for result in each.results)]
    try:
        wrong = read_wrong(sandbox, operations) if concerned else []
        wrong = [each for each in wrong if not _is_known(each, concerned) and not _follows(each, wrong)]
        placed = list(zip(wrong, _places(wrong, sandbox, locate), strict=True))
    except (StudentError, SubmissionStopped):  # an engine that is otherwise than the tests have met it
        return {}
    told = {each.check: Explanation() for each in concerned}
    for each, where in sorted(placed, key=lambda pair: not _is_used(pair[0], concerned)):
        if each.operation.name in waiting and not _is_used(each, concerned, or_spoilt=True):
            continue
        home = _home(each, concerned)
        said = [*notes(each, _names_in(home.results, each.operation.name), where)]
        for other in concerned:
            if other is home or _uses(other, each) or _uses(other, each, spoilt=True):
                told[other.check].rules += said
    return {check: found for check, found in told.items() if found.rules}


def _uses(failing: Failing, wrong: Wrong, *, spoilt: bool = False) -> bool:
    names = wrong.spoils if spoilt else {wrong.operation.name}
    return any(names & result.used.keys() for result in failing.results)


def _is_used(wrong: Wrong, failing: Sequence[Failing], *, or_spoilt: bool = False) -> bool:
    return any(_uses(each, wrong) or (or_spoilt and _uses(each, wrong, spoilt=True)) for each in failing)


def _is_known(wrong: Wrong, failing: Sequence[Failing]) -> bool:
    """True for an error that a failing test tells already, or that none of them met."""
    errors = wrong.errors
    if wrong.beside_number:  # the message has the error, and does not say that it is the number's
        met = {str(result.error).partition(":")[0] for each in failing for result in each.results}
        return bool(errors) and not any(error.partition(":")[0] in met for error in errors)
    used = _is_used(wrong, failing)
    met = {str(result.error) for each in failing for result in each.results}
    return bool(errors) and (not used or bool(errors & met))


def _follows(wrong: Wrong, others: Sequence[Wrong]) -> bool:
    """True for an error with a number on the left that there is with a number on the right, too."""
    same = (each for each in others if each.operation == wrong.operation and each.variant == "number_right")
    return wrong.variant == "number_left" and bool(wrong.errors) and any(each.errors for each in same)


def _home(wrong: Wrong, failing: Sequence[Failing]) -> Failing:
    """The first failed check that used it, or what is made of it; of what only functions use, the first at all."""
    by_name = (each for each in failing if _uses(each, wrong))
    return next(by_name, next((each for each in failing if _uses(each, wrong, spoilt=True)), failing[0]))


def _names_in(results: Sequence[TestResult], operation: str) -> tuple[str, ...]:
    """The operands of an operation in the first failing test that applied it; a hidden test keeps its names."""
    shown = (result.used for result in results if result.test.visibility == "visible")
    return next((used[operation] for used in shown if operation in used), ())


def _places(
    wrong: Sequence[Wrong], sandbox: Sandbox, locate: Callable[[Frame | None], Where | None]
) -> list[tuple[Where | None, Where | None]]:
    """Of each wrong operation the lines of its rule and of its method; None where these are not known."""
    proxies = [proxy for each in wrong for proxy in (each.rule, each.method) if proxy is not None]
    frames = dict(zip(proxies, sandbox.defined(proxies), strict=True)) if proxies else {}
    lines = {proxy: locate(frame) for proxy, frame in frames.items()}
    return [
        (lines.get(each.rule) if each.rule else None, lines.get(each.method) if each.method else None)
        for each in wrong
    ]


def notes(
    wrong: Wrong, names: tuple[str, ...] = (), where: tuple[Where | None, Where | None] = (None, None)
) -> Iterator[RuleNote]:
    """Yield the notes of an operation for the report."""
    rule_at, method_at = where
    backward_at = None if wrong.shape == "backward" else rule_at or method_at
    operation = wrong.operation.name
    rules = [found for found in wrong.found if isinstance(found, Rule)]
    if wrong.shape == "local":
        rules = [_as_kept(rule) for rule in rules]
    if wrong.beside_number:
        for rule in rules:
            place = method_at if rule.input == "out" else backward_at
            yield RuleNote(operation, *_beside_number(rule, wrong, names), place)
    else:
        told = sentences(rules, wrong.operation, names, local=wrong.shape == "local")
        for rule, words in zip(rules, told, strict=True):
            place = method_at if rule.input == "out" else backward_at
            yield RuleNote(operation, rule.input, rule.wrote, words, place)
    for found in wrong.found:
        if isinstance(found, Cause):
            place = method_at if found.id in _OF_METHODS else backward_at or method_at
            about = {"error": found.error, "kind": found.kind} | wrong.call(names)
            for name in wrong.inputs if found.id in _NOTHING_WRITTEN else (found.input,):
                words = cause(found.id, wrong.operation, names, name, **about)
                yield RuleNote(operation, name, found.wrote, words, place)


def _as_kept(rule: Rule) -> Rule:
    """Return a rule of an engine that keeps local gradients with the statement `self.grad += LOCAL * out.grad`."""
    target, operator, right = rule.wrote.split(" ", 2) if rule.wrote else ("", "", "")
    if operator not in {"+=", "-="}:
        return rule
    local = tidy(replaced(parse(right), UPSTREAM, 1))
    local = local if operator == "+=" else negated(local)
    return replace(rule, wrote=f"{target} += {text(('*', local, UPSTREAM))}")


# Causes of which each input's gradient stays as it was, and those that stand in the operation's method.
_NOTHING_WRITTEN = frozenset(
    {*_UNSET.values(), "backward_default", "backward_unset", "backward_on_input", "backward_ran_early"}
)
_OF_METHODS = frozenset(
    {*_NOTHING_WRITTEN, "raises", "number_left_fails", "number_right_fails", "returns_no_value"}
    | {"data_is_object", "forward_changes_data"}
)


def _beside_number(rule: Rule, wrong: Wrong, names: tuple[str, ...]) -> tuple[str, str, str]:
    """Input, statement and words of a rule with a plain number on one side: `self` is the Value, `n` the number."""
    number, value = ("self", "other") if wrong.variant == "number_left" else ("other", "self")
    wrote = re.sub(rf"\b{number}\.data\b", "n", rule.wrote)
    wrote = re.sub(rf"\b{value}\.", "self.", wrote)
    name, call = wrong.value_in(names), wrong.call(names)["call"]
    shown = re.sub(r"\bn\b", NUMBER, wrote.replace("self.", f"{name}."))
    which = "out" if rule.input == "out" else "self"
    if which == "out":
        return which, wrote, f"In {call} your engine computes {shown.partition(' = ')[2]}."
    return (
        which,
        wrote,
        f"In {call} your engine {f'does {shown}' if shown else f'leaves {name}.grad as it was'}.",
    )
