"""The wrong operations of an engine: first causes that no formula shows, then statements.

The jail's numbers (probe.py) are compared with those of the right rules. For numbers that differ the search
(search.py) finds a statement that gives them. Only statements that hold on fresh numbers are reported.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec
from msgspec.structs import replace

from grader.autograd.memory import Memory
from grader.autograd.rules.expressions import Points, parse
from grader.autograd.rules.observations import Observation, Seen
from grader.autograd.rules.probe import ask_all
from grader.autograd.rules.search import FEWEST, Rule, read_rules

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from grader.autograd.rules.operations import Operation
    from grader.autograd.rules.probe import Number, Row, Tried
    from grader.sandbox import Deadline, Proxy, Sandbox


class Cause(NamedTuple):
    """A fault that no formula shows: a key of `words.CAUSES`, the input or `out`, and its details."""

    id: str
    input: str = "out"
    wrote: str = ""
    error: str = ""
    kind: str = ""


class Wrong(msgspec.Struct, frozen=True):
    """An operation that is wrong: causes or rules, observed on two Values or with a plain number on one side.

    `rule` is the `_backward` that was called, `method` the method of the operation. `spoils` are the names of operations
    that use this one and are wrong, too.
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
        """True if one of the two operands is a plain number."""
        return self.operation.binary and self.variant != "values"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs in the report: beside a plain number, the Value is `self`."""
        return ("self",) if self.beside_number else tuple(self.operation.rules)

    @property
    def errors(self) -> set[str]:
        """The errors that were raised."""
        return {cause.error for cause in self.found if isinstance(cause, Cause) and cause.error}


def read_wrong(sandbox: Sandbox, operations: Sequence[Operation]) -> list[Wrong]:
    """Return the wrong operations of a submission.

    Raises StudentError, SubmissionStopped, OutOfTime.
    """
    tried = ask_all(sandbox, operations)
    alive = {code for each in tried if not each.is_idle for code in each.trial.codes}
    return _judged([_Reading(each, alive, sandbox.budget.deadline) for each in tried])


_FOUND, _RIGHT = Memory[tuple[Rule | Cause, ...]](), Memory[bool]()


class _Reading:
    """The observations of one variant of an operation, compared with the right rules."""

    def __init__(self, tried: Tried, alive: set[int], deadline: Deadline) -> None:
        self.operation, self.trial, self.deadline = tried.ask.operation, tried.trial, deadline
        self.tried = tried
        # If one method serves all operations, a leaf has it, too: doing nothing is then a wrong rule, not a missing one.
        self.switches = tried.is_idle and bool(alive & set(tried.trial.codes))

    @functools.cached_property
    def _key(self) -> tuple[Hashable, ...]:
        """All that the findings depend on: the operation and its numbers, not the engine's other operations."""
        trial = replace(self.trial, codes=(), uses=())
        return self.operation, trial, self.derived, self.tried.clears, self.switches

    @functools.cached_property
    def found(self) -> tuple[Rule | Cause, ...]:
        """The causes or, if there are none, the wrong rules. Raises OutOfTime."""
        return _FOUND.get(self._key, lambda: tuple(self._causes() or self._rules()))

    @property
    def derived(self) -> bool:
        """True if the operation may be made of others."""
        return self.trial.composite or bool(self.trial.uses) or self.beside_number

    @property
    def beside_number(self) -> bool:
        """True if one of the two operands is a plain number."""
        return self.operation.binary and self.trial.variant != "values"

    @functools.cached_property
    def forward_only(self) -> bool:
        """True for an engine without gradients, and if the result is one of the inputs."""
        returned = any("returns_input" in row.notes for _, _, row in self.tried.rows)
        return returned or self.trial.shape == "forward"

    @property
    def inputs(self) -> dict[str, str]:
        """The inputs that are Values, each with its field in a row."""
        sides = {"values": ("self", "other"), "number_left": ("other",)}.get(self.trial.variant, ("self",))
        return {name: "left" if name == "self" else "right" for name in sides}

    @property
    def key(self) -> tuple[str, str]:
        """The operation and the variant whose method carries this one out."""
        return self.operation.name, "number_left" if self.trial.variant == "number_left" else "values"

    # Causes

    def _causes(self) -> list[Rule | Cause]:
        trial = self.trial
        if trial.stuck or not (trial.again or trial.error):
            return []
        if not self.tried.rows:
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
        """Yield causes that hold at every point where they can show; a change counts at any point."""
        notes = [set(row.notes.split()) for _, _, row in self.tried.rows]
        before = [any(point[f"{name}.grad"] for name in self.inputs) for _, point, _ in self.tried.rows]
        # Setting a 0 to 0 does not show.
        shown = [each for each, some in zip(notes, before, strict=True) if some]
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
            yield Cause({**UNSET, "default": unset_or_default}[note])
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
        """Return the kind of object that every point has instead of a number; empty if there are numbers."""
        found = {getattr(row, side) for _, _, row in self.tried.rows}
        return _KINDS.get(found.pop(), "") if len(found) == 1 else ""

    # Rules

    def _rules(self) -> list[Rule | Cause]:
        """Return the statements that give the engine's wrong numbers."""
        if self.trial.stuck or not self.trial.again:
            return []
        tried, fresh = self.observations
        rules = read_rules(self.operation, tried, fresh, self.deadline)
        if self.derived and any(rule.input == "out" for rule in rules):
            rules = [rule for rule in rules if rule.input == "out"]  # the others follow from it
        return [rule for rule in rules if not self.forward_only or rule.input == "out"]

    @functools.cached_property
    def observations(self) -> tuple[list[Observation], list[Observation]]:
        """The applications that gave numbers: those for the search, and those to verify on."""
        tried, fresh = list[Observation](), list[Observation]()
        rows = [(is_fresh, self._before(point, row), row) for is_fresh, point, row in self.tried.rows]
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
        """Return right gradients for inputs that have none: plain numbers, and all inputs of an engine without gradients."""
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
        """True if every application gave the right numbers. Raises OutOfTime."""
        return _RIGHT.get(self._key, self._is_right)

    def _is_right(self) -> bool:
        if self.found or self.trial.stuck or not self.trial.again:
            return False
        seen = Seen(self.operation, [each for part in self.observations for each in part])
        rules = {name: parse(rule) for name, rule in self.operation.rules.items()}
        enough = len(seen.observations) >= 2 * FEWEST and seen.forward_right
        return enough and all(seen.is_right(name, seen.points.values(rule)) for name, rule in rules.items())


UNSET = {"none": "backward_none", "missing": "no_backward", "not_callable": "backward_not_callable"}
_KINDS: dict[Number, str] = {"object": "a Value", "none": "None", "other": "something that is not a number"}
_NOT_FINITE = {"nan", "inf", "-inf"}


def _float(number: Number) -> float | None:
    if isinstance(number, str):
        return float(number) if number in _NOT_FINITE else None
    return number


def _judged(readings: Sequence[_Reading]) -> list[Wrong]:
    """Return the operations that are wrong themselves: one that is made of others counts only if those are right."""
    wrong = [reading for reading in readings if not _is_doubtful(reading, readings) and reading.found]
    others = [
        reading for reading in readings if reading.derived and reading not in wrong and not reading.is_right
    ]
    return [
        Wrong(
            *(r.operation, r.trial.variant, r.found, r.trial.shape, r.tried.rule, r.tried.method),
            frozenset(other.operation.name for other in others if r in _parts(other, readings)),
        )
        for r in wrong
    ]


def _is_doubtful(reading: _Reading, readings: Sequence[_Reading]) -> bool:
    """Return True if the fault may come from another operation, or from the same one on two Values."""
    if reading.derived and not reading.tried.complete:
        return True
    same = [r for r in readings if r.operation is reading.operation and r.trial.variant == "values"]
    if reading.beside_number and not all(r.is_right for r in same):
        return True
    return not all(r.is_right for r in _parts(reading, readings))


def _parts(reading: _Reading, readings: Sequence[_Reading]) -> list[_Reading]:
    """Return the other operations that one calls or, if that is unknown, those whose rules its nodes may have."""
    others = [r for r in readings if r.operation is not reading.operation]
    used = [r for r in others if r.key in reading.trial.uses]
    if used or not reading.derived:
        return used
    codes = set(reading.trial.codes)
    return [r for r in others if not r.derived and codes & set(r.trial.codes)]
