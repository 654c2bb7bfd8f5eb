"""The rules of the student's operations, read back: causes that no formula shows first, then statements.

The jail applies every operation at generic points (probe_inside.py); what it answers is data. Here it is
compared with the right rules, and what differs is searched for (search.py). Only what was verified is told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from grader.autograd.points import fresh_points, points
from grader.autograd.search import FEWEST, PRECISION, Observation, Rule, execute, read_rules
from grader.sandbox import Proxy, Undefined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from grader.autograd.operations import Operation
    from grader.sandbox import Deadline, Sandbox

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

SOURCE = Path(__file__).with_name("probe_inside.py")
SECONDS = 1.0  # for all operations; the rest of the time is for what else explains
MANY = 16  # points, tried and fresh each, with a plain number on one side
MAX_TEXT = 60_000

Number = float | str | None
Note = Annotated[str, Meta(max_length=250)]


class _Row(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """One application: upstream gradient, result, both gradients after, notes, both inputs' data after."""

    up: Number
    out: Number
    left: Number
    right: Number
    notes: Note
    left_data: Number
    right_data: Number


class _Trial(msgspec.Struct, forbid_unknown_fields=True):
    """One operation at all its points, as the jail tells it."""

    variant: str
    stage: str
    error: Note
    stuck: bool
    again: bool
    later: bool
    composite: bool
    codes: Annotated[list[int], Meta(max_length=20)]
    defines: bool
    early: bool
    shape: str
    rows: Annotated[str, Meta(max_length=MAX_TEXT)]


class _Answer(msgspec.Struct, forbid_unknown_fields=True):
    whole: bool
    clears: bool
    operations: list[list[_Trial]]


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

    `rule` is what `_backward` was called, `method` what carries out the operation.
    """

    operation: Operation
    variant: str
    found: tuple[Rule | Cause, ...]
    rule: Proxy | None = None
    method: Proxy | None = None
    local: bool = False


def read_wrong(sandbox: Sandbox, operations: Sequence[Operation]) -> list[Wrong]:
    """Return what is wrong about the operations of a submission.

    Raises StudentError, SubmissionStopped, OutOfTime.
    """
    sandbox.load()
    make, backward = _named(sandbox, "Value"), _named(sandbox, "backward")
    if make is None or not operations:
        return []
    asks = [_Ask(operation) for operation in operations]
    with sandbox.budget("probe", SECONDS):
        probe = sandbox.helper(SOURCE.read_text(encoding="utf-8"), "probe")
        answer = probe(make, backward, [ask.plan for ask in asks], SECONDS / 2)
    return _judged(_trials(asks, answer, sandbox.deadline), sandbox.deadline)


def _named(sandbox: Sandbox, name: str) -> Proxy | None:
    try:
        found = sandbox.get(name)
    except Undefined:
        return None
    return found if isinstance(found, Proxy) else None


class _Ask:
    """An operation, the variants in which it is tried, and the points."""

    def __init__(self, operation: Operation) -> None:
        self.operation = operation
        self.tried, self.fresh = points(operation), fresh_points(operation)
        self.variants = ["alone"]
        if operation.binary:
            self.variants = ["values", "number_right", "number_left"] if operation.symbol else ["values"]
        elif operation.takes_n:
            self.variants = ["number_right"]

    @property
    def points(self) -> list[dict[str, float]]:
        return [*self.tried, *self.fresh]

    @property
    def plan(self) -> dict[str, Any]:
        """The request: numbers in the order in which the jail takes them."""
        rows = [
            [
                point["self.data"],
                point.get("other.data", point.get("n", 0.0)),
                point["self.grad"],
                point.get("other.grad", 1.0),
                point["out.grad"],
            ]
            for point in self.points
        ]
        few = {
            variant: self.few for variant in self.variants if len(self.variants) > 1 and variant != "values"
        }
        return {"name": self.operation.name, "variants": self.variants, "points": rows, "few": few}

    @property
    def few(self) -> list[int]:
        """Places of points that are enough for a plain number beside a Value: with the repeated ones."""
        tried, fresh = len(self.tried), len(self.fresh)
        return [*range(MANY - 2), tried - 2, tried - 1, *range(tried, tried + min(MANY, fresh))]

    def asked(self, variant: str) -> list[tuple[dict[str, float], bool]]:
        """The points at which a variant is tried, and of each whether it is a fresh one."""
        everywhere = len(self.variants) == 1 or variant == "values"
        places = range(len(self.points)) if everywhere else self.few
        return [(self.points[i], i >= len(self.tried)) for i in places]


def _trials(asks: Sequence[_Ask], answer: Any, deadline: Deadline) -> list[_Reading]:
    """What the jail answered; nothing of an answer that is not of the format."""
    try:
        told = [[dict(trial) for trial in found] for found in answer["operations"]]
        at = [[(trial.pop("rule"), trial.pop("method")) for trial in found] for found in told]
        valid = msgspec.convert({**answer, "operations": told}, _Answer)
        return [
            _Reading(ask, trial, where, deadline, clears=valid.clears)
            for ask, trials, places in zip(asks, valid.operations, at, strict=True)
            for trial, where in zip(trials, places, strict=True)
            if trial.variant in ask.variants
        ]
    except (KeyError, TypeError, ValueError, msgspec.MsgspecError):
        return []


class _Reading:
    """One variant of an operation as it was read, against the right rules."""

    def __init__(
        self, ask: _Ask, trial: _Trial, at: tuple[object, object], deadline: Deadline, *, clears: bool
    ) -> None:
        self.operation, self.trial, self.deadline = ask.operation, trial, deadline
        self.rule, self.method = (found if isinstance(found, Proxy) else None for found in at)
        self.clears = clears
        rows = msgspec.json.decode(trial.rows, type=list[_Row | None])
        asked = ask.asked(trial.variant)
        if len(rows) > len(asked):
            raise ValueError(trial.variant)
        self.rows = [(fresh, p, row) for (p, fresh), row in zip(asked, rows, strict=False) if row]
        self.found = self._causes() or self._rules()

    @property
    def derived(self) -> bool:
        """True for what may be made of other operations."""
        return self.trial.composite or self.beside_number

    @property
    def beside_number(self) -> bool:
        """True where a plain number stands in the place of one of two Values."""
        return self.operation.binary and self.trial.variant != "values"

    @property
    def inputs(self) -> dict[str, str]:
        """The inputs that are Values: their name in a row."""
        sides = {"values": ("self", "other"), "number_left": ("other",)}.get(self.trial.variant, ("self",))
        return {name: "left" if name == "self" else "right" for name in sides}

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
        """What is so at every point; of what is changed, at any."""
        notes = [set(row.notes.split()) for _, _, row in self.rows]
        always, ever = set.intersection(*notes), set.union(*notes)
        for note, kind in (("returns_none", "None"), ("returns_number", "a plain number")):
            if note in always:
                yield Cause("returns_no_value", kind=kind)
                return
        unset = always & {"default", "none", "missing", "not_callable"}
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
            if self.trial.shape != "forward" and (kind := self._kind(side)):
                yield Cause("grad_is_object", name, kind=kind)

    def _kind(self, side: str) -> str:
        """What stands at every point where a number belongs; nothing where there is a number."""
        found = {getattr(row, side) for _, _, row in self.rows}
        return _KINDS.get(found.pop(), "") if len(found) == 1 else ""

    # Rules

    def _rules(self) -> list[Rule | Cause]:
        """The statements that give the engine's numbers where these are not the right ones."""
        if self.trial.stuck or not self.trial.again:
            return []
        tried, fresh = self.observations
        rules = read_rules(self.restricted, tried, fresh, self.deadline)
        if self.trial.composite and any(rule.input == "out" for rule in rules):
            rules = [rule for rule in rules if rule.input == "out"]  # the others follow from it
        return [rule for rule in rules if self.trial.shape != "forward" or rule.input == "out"]

    @property
    def restricted(self) -> Operation:
        """The operation with the inputs that are Values here."""
        kept = {name: self.operation.rules[name] for name in self.inputs}
        return (
            self.operation if len(kept) == len(self.operation.rules) else replace(self.operation, rules=kept)
        )

    @property
    def observations(self) -> tuple[list[Observation], list[Observation]]:
        """The applications that gave numbers: those to search with, and those to verify on."""
        tried, fresh = list[Observation](), list[Observation]()
        for is_fresh, point, row in self.rows:
            if (seen := self._observation(point, row)) is not None:
                (fresh if is_fresh else tried).append(seen)
        return tried, fresh

    def _observation(self, point: Mapping[str, float], row: _Row) -> Observation | None:
        after = {name: _float(getattr(row, side)) for name, side in self.inputs.items()}
        up, out = _float(row.up), _float(row.out)
        if up is None or out is None:
            return None
        before = dict(point) | {"out.grad": up}
        if self.trial.shape == "forward":
            right = execute([], self.restricted, {**point, "out.grad": up})
            after = {name: right[f"{name}.grad"] for name in self.inputs}
        for name in ("self", "other"):
            if name not in self.inputs:
                before.pop(f"{name}.grad", None)
            elif self.clears:
                before[f"{name}.grad"] = 0.0
        known = {name: number for name, number in after.items() if number is not None}
        return Observation(before, out, known) if len(known) == len(after) else None

    @property
    def is_right(self) -> bool:
        """True where every application gave the right numbers."""
        if self.found or self.trial.stuck or not self.trial.again:
            return False
        seen = [each for part in self.observations for each in part]
        return len(seen) >= 2 * FEWEST and all(map(self._agrees, seen))

    def _agrees(self, seen: Observation) -> bool:
        self.deadline.check()
        right = execute([], self.restricted, {**seen.before})
        pairs = [(right["out.data"], seen.out, 0.0)]
        if self.trial.shape != "forward":
            pairs += [(right[f"{n}.grad"], got, seen.before[f"{n}.grad"]) for n, got in seen.after.items()]
        return all(abs(a - b) <= PRECISION * (abs(a) + abs(c)) + 1e-12 or a == b for a, b, c in pairs)


_UNSET = {"none": "backward_none", "missing": "no_backward", "not_callable": "backward_not_callable"}
_KINDS: dict[Number, str] = {"object": "a Value", "none": "None", "other": "something that is no number"}
_NOT_FINITE = {"nan", "inf", "-inf"}


def _float(number: Number) -> float | None:
    if isinstance(number, str):
        return float(number) if number in _NOT_FINITE else None
    return number


def _judged(readings: Sequence[_Reading], deadline: Deadline) -> list[Wrong]:
    """What is wrong of its own: what is made of other operations is told only where these are right."""
    primary = [reading for reading in readings if not reading.derived]
    derived = [reading for reading in readings if reading.derived and reading.found]
    doubtful: set[int] = set()
    if derived:
        deadline.check()
        doubtful = {code for reading in primary if not reading.is_right for code in reading.trial.codes}
    told = [reading for reading in primary if reading.found]
    for reading in derived:
        same = [r for r in readings if r.operation == reading.operation and r is not reading]
        on_values = any(r.found for r in same if r.trial.variant == "values")
        if not doubtful & set(reading.trial.codes) and not on_values:
            told.append(reading)
    return [
        Wrong(r.operation, r.trial.variant, tuple(r.found), r.rule, r.method, r.trial.shape == "local")
        for r in sorted(told, key=readings.index)
    ]
