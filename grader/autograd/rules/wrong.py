"""The wrong operations of an engine: first causes that no formula shows, then statements.

The jail's numbers (probe.py) are compared with those of the right rules. For numbers that differ the search
(search.py) finds a statement that gives them. Only statements that hold on fresh numbers are reported.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from grader.autograd.rules.expressions import Points, parse
from grader.autograd.rules.observations import Observation, ObservationTable
from grader.autograd.rules.operations import Operation
from grader.autograd.rules.probe import TWICE, EngineReply, Number, ProbeRow, VariantReply, ask_all
from grader.autograd.rules.search import FEWEST, Rule, read_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

    from grader.sandbox import Deadline, Proxy, Sandbox

T = TypeVar("T")
BESIDE_NUMBER = frozenset({"number_left", "number_right"})


class Cause(NamedTuple):
    """A fault that no formula shows: a key of `words.CAUSES`, the input or `out`, and its details."""

    id: str
    input: str = "out"
    error: str = ""
    kind: str = ""


class WrongOperation(msgspec.Struct, frozen=True):
    """An operation that is wrong: causes or rules, observed on two Values or with a plain number on one side.

    `rule` is the `_backward` that was called, `method` the method of the operation. `spoils` are the names of operations
    that use this one and are wrong, too. `shares` is True if a right operation has the same rule.
    """

    operation: Operation
    variant: str
    found: tuple[Rule | Cause, ...]
    shape: str = ""
    rule: Proxy | None = None
    method: Proxy | None = None
    spoils: frozenset[str] = frozenset()
    shares: bool = False

    @property
    def beside_number(self) -> bool:
        """True if one of the two operands is a plain number."""
        return self.operation.binary and self.variant in BESIDE_NUMBER

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs in the report: beside a plain number, the Value is `self`."""
        return ("self",) if self.beside_number else tuple(self.operation.rules)

    @property
    def errors(self) -> set[str]:
        """The errors that were raised."""
        return {cause.error for cause in self.found if isinstance(cause, Cause) and cause.error}


def read_wrong(sandbox: Sandbox, operations: Sequence[Operation]) -> list[WrongOperation]:
    """Return the wrong operations of a submission.

    Raises StudentError, SubmissionStopped, OutOfTime.
    """
    first = ask_all(sandbox, operations)
    wrong = _read(first, operations, sandbox.budget.deadline)
    if not any(isinstance(found, Cause) for each in wrong for found in each.found):
        return wrong
    # The second look is at what is wrong, and at one operation that does something.
    keys = {(each.operation.name, each.variant) for each in wrong}
    anchor = next((each for each in first.tried if not each.is_idle), None)
    again = frozenset(each.ask.key for each in first.tried if each.ask.key in keys or each is anchor)
    return _confirm(wrong, first, ask_all(sandbox, operations, again))


def _confirm(
    wrong: Sequence[WrongOperation], first: EngineReply, second: EngineReply
) -> list[WrongOperation]:
    """Return the wrong operations, with only the causes that a second, fresh load shows again, and with its objects."""
    before, after = ({tried.ask.key: tried for tried in look.tried} for look in (first, second))
    confirmed = []
    for each in wrong:
        key = each.operation.name, each.variant
        again, is_leaf = after.get(key), each.operation is VALUE
        rule, method = (again.trial.rule, again.trial.method) if again else (None, None)
        alike = [replace(look.leaf, init=None) for look in (first, second)]
        same = alike[0] == alike[1] if is_leaf else before[key].is_confirmed(again)
        found = tuple(found for found in each.found if same or isinstance(found, Rule))
        method = second.leaf.init if is_leaf else method
        confirmed += [replace(each, found=found, rule=rule, method=method)] if found else []
    return confirmed


def _read(probed: EngineReply, operations: Sequence[Operation], deadline: Deadline) -> list[WrongOperation]:
    leaf, tried = probed
    begins = "its data" if leaf.start == "data" else _float(leaf.start)
    if leaf.shared or begins:  # operations cannot be read then
        kind = begins if isinstance(begins, str) else f"{begins:g}"
        cause = Cause(_SHARED[leaf.shared]) if leaf.shared else Cause("grad_starts", kind=kind)
        used = frozenset(operation.name for operation in operations)
        wrong = WrongOperation(VALUE, "values", (cause,), method=leaf.init, spoils=used)
        return [wrong] if leaf.shared or not leaf.cleared else []
    alive = {code for each in tried if not each.is_idle for code in each.trial.codes}
    keeps = any(each.trial.unkept == () for each in tried)
    return _own_faults([_Reading(each, alive, deadline, keeps=keeps) for each in tried])


VALUE = Operation("Value", "self.data", {"self": "out.grad"})  # stands for a fault of every Value
_SHARED = {"all": "values_share_grad", "equal": "equal_values_share_grad"}
_FOUND: dict[Hashable, tuple[tuple[Rule | Cause, ...], bool]] = {}
_SIDES = {"self": "left", "other": "right"}
_OF_VARIANT = {"values": ("self", "other"), "twice": ("self", "other"), "number_left": ("other",)}


def _remember(known: dict[Hashable, T], key: Hashable, compute: Callable[[], T], most: int = 1000) -> T:
    """Return the result for a key, computed at its first use: students of a class share rules, right and wrong.

    Keeps the `most` results that were used last; keeps none if `compute` raises.
    """
    known[key] = found = known.pop(key) if key in known else compute()
    if len(known) > most:
        del known[next(iter(known))]
    return found


class _Reading:
    """The observations of one variant of an operation, compared with the right rules."""

    def __init__(self, tried: VariantReply, alive: set[str], deadline: Deadline, *, keeps: bool) -> None:
        self.tried, self.operation, self.trial, self.deadline = (
            tried,
            tried.ask.operation,
            tried.trial,
            deadline,
        )
        self.keeps = keeps  # the result of some operation keeps its inputs, so every result should
        trial, variant = self.trial, self.trial.variant
        # If one method serves all operations, a leaf has it, too. Doing nothing is then a wrong rule, not a missing one.
        self.switches = tried.is_idle and alive.issuperset(trial.codes[:1])
        self.twice = variant == "twice"  # one Value is both operands
        self.beside_number = self.operation.binary and variant in BESIDE_NUMBER
        self.derived = (
            trial.composite or bool(trial.uses) or self.beside_number
        )  # may be made of other operations
        # An engine without gradients has only a forward pass; so has a result that is one of the inputs.
        self.forward_only = trial.shape == "forward" or any(
            "returns_input" in row.notes for _, _, row in tried.rows
        )
        # The inputs that are Values, each with its field in a row.
        self.inputs = {name: _SIDES[name] for name in _OF_VARIANT.get(variant, ("self",))}
        # The operation and the variant whose method carries this one out.
        self.key = self.operation.name, variant if variant in {"number_left", "twice"} else "values"

    @functools.cached_property
    def judged(self) -> tuple[tuple[Rule | Cause, ...], bool]:
        """The causes or, if there are none, the wrong rules; and True if every application gave the right numbers.

        Raises OutOfTime.
        """
        # The key has everything that they depend on: the operation and its numbers, not the engine's other operations.
        trial = self.trial.without(codes=(), uses=())
        key = self.operation, trial, self.derived, self.tried.clears, self.switches, self.keeps
        return _remember(_FOUND, key, self._judge)

    def _judge(self) -> tuple[tuple[Rule | Cause, ...], bool]:
        if not (self.trial.again or self.trial.error):
            return (), False
        raised = [self._error_cause()] if self.trial.error else []
        found = self._once() if self.twice else [*self._of_rows()] if self.tried.rows else [*raised]
        if self.twice or not self.trial.again:
            return tuple(found), self.trial.again and not found
        found = found or self._with_unkept(self._rules())
        seen = self.seen
        enough = seen and len(seen.observations) >= 2 * FEWEST and seen.forward_right
        return tuple(found), bool(
            seen and enough and not found and all(map(seen.has_right, self.operation.rules))
        )

    # Causes

    def _once(self) -> list[Rule | Cause]:
        """Return a cause if a Value on both sides gets the contribution of only one side."""
        seen = self.seen
        if not seen or not seen.forward_right or self.forward_only or not self.trial.again:
            return []
        rules = [seen.points.values(parse(rule)) for rule in self.operation.rules.values()]
        is_one = any(seen.is_right("self", rule) for rule in rules)
        is_both = seen.is_right("self", seen.points.apply("+", *rules))
        return [Cause("counted_once", "self")] * (is_one and not is_both)

    def _error_cause(self) -> Cause:
        trial = self.trial
        if trial.stage == "backward":
            return Cause("backward_raises", error=trial.error)
        fails = self.beside_number and (trial.variant == "number_left" or "'float'" in trial.error)
        return Cause(f"{trial.variant}_fails" if fails else "raises", error=trial.error)

    def _of_rows(self) -> Iterator[Cause]:
        """Yield causes that hold at every point where they can show; a change counts even at one point."""
        notes = [set(row.notes.split()) for _, _, row in self.tried.rows]
        before = [any(point[f"{name}.grad"] for name in self.inputs) for _, point, _ in self.tried.rows]
        # Where a gradient is 0, setting it to 0 does not show.
        shown = [each for each, some in zip(notes, before, strict=True) if some]
        always, ever = set.intersection(*(shown or notes)), set.union(*notes)
        idle = always & {"default", "none", "missing", "not_callable", "hands_back", "hands_function"}
        unset = next(iter(() if self.switches else idle), "")
        if always & _RETURNED.keys():
            yield Cause(
                "returns_no_value", kind=next(_RETURNED[note] for note in _RETURNED if note in always)
            )
        elif "on_input" in always and unset:
            yield Cause("backward_on_input")
        elif "writes_early" in always and idle:
            yield Cause("backward_ran_early")
        elif unset:
            yield Cause("backward_unset" if unset == "default" and self.trial.defines else UNSET[unset])
        else:
            yield from self._changes(ever)

    def _changes(self, ever: set[str]) -> Iterator[Cause]:
        sides = [(note, name) for note in _CHANGES for name in ("self", "other", "out")]
        yield from (Cause(note, name) for note, name in sides if f"{note}_{name}" in ever)
        own = () if self.derived else ("on_input", "repeats_inputs")
        yield from (Cause(note) for note in own if note in ever)
        yield from [Cause("changes_upstream")] * ("changes_upstream" in ever)
        if kind := self._kind("out"):
            yield Cause("data_is_object", kind=kind)
        for name, side in self.inputs.items():
            if not self.forward_only and (kind := self._kind(side)):
                kept = self.trial.shape == "local"
                yield Cause("local_is_object" if kept else "grad_is_object", name, kind=kind)

    def _kind(self, side: str) -> str:
        """Return the kind of object that takes the place of a number at every point; empty if there are numbers."""
        found = {getattr(row, side) for _, _, row in self.tried.rows}
        return _KINDS.get(found.pop(), "") if len(found) == 1 else ""

    # Rules

    def _rules(self) -> list[Rule | Cause]:
        """Return the statements with the engine's wrong numbers."""
        # A `_backward` calls the `_backward` of its inputs, so nodes in between hand on more than once.
        if self.derived and any("calls_inputs" in row.notes.split() for _, _, row in self.tried.rows):
            return []
        tried, fresh = self.observations
        rules = read_rules(self.operation, tried, fresh, self.deadline)
        if self.seen and not self.seen.forward_right:
            # The derivatives of a wrong forward pass are unknown, even if its statement was found.
            may_be_told = frozenset[str]() if self.derived else _OF_ANY_FUNCTION
            rules = [
                rule for rule in rules if rule.input == "out" or may_be_told >= {*rule.relations} > set()
            ]
        return [rule for rule in rules if not self.forward_only or rule.input == "out"]

    def _with_unkept(self, rules: list[Rule | Cause]) -> list[Rule | Cause]:
        """Return causes for the inputs that the result does not keep, and the rules of the other inputs."""
        if not self.keeps or self.forward_only:
            return rules
        unwritten = {rule.input for rule in rules if isinstance(rule, Rule) and not rule.wrote}
        cut, unkept = set(self.trial.cut or ()), set(self.trial.unkept or ())
        causes = [Cause("input_cut", name) for name in self.inputs if name in unwritten & cut]
        # A closure may write to an input that no walk reaches.
        walked = unkept - cut if self.trial.shape == "closure" else unwritten & unkept - cut
        if walked and unkept == self.inputs.keys():
            causes.append(Cause("keeps_no_inputs"))
        else:
            causes += [Cause("input_not_kept", name) for name in self.inputs if name in walked]
        return [*causes, *(rule for rule in rules if rule.input not in unwritten & (cut | walked))]

    @functools.cached_property
    def observations(self) -> tuple[list[Observation], list[Observation]]:
        """The applications that gave numbers: at the points for the search, and at the points for verification."""
        tried, fresh = list[Observation](), list[Observation]()
        rows = [(is_fresh, self._before(point, row), row) for is_fresh, point, row in self.tried.rows]
        right = self._right_after([before for _, before, _ in rows])
        for place, (is_fresh, before, row) in enumerate(rows):
            sides = {} if self.forward_only else self.inputs
            after = {
                **{name: values[place] for name, values in right.items()},
                **{name: _float(getattr(row, side)) for name, side in sides.items()},
            }
            numbers = {name: number for name, number in after.items() if number is not None}
            if (
                (out := _float(row.out)) is not None
                and len(numbers) == len(after)
                and _float(row.up) is not None
            ):
                (fresh if is_fresh else tried).append(Observation(before, out, numbers))
        return tried, fresh

    @functools.cached_property
    def seen(self) -> ObservationTable | None:
        """All applications that gave numbers; None if there are too few."""
        found = [each for part in self.observations for each in part]
        return ObservationTable(self.operation, found) if len(found) >= 2 * TWICE else None

    def _before(self, point: Mapping[str, float], row: ProbeRow) -> dict[str, float]:
        up = _float(row.up)
        before = {**point, "out.grad": math.nan if up is None else up}
        if self.twice:
            before |= {"other.data": before["self.data"], "other.grad": before["self.grad"]}
        if self.tried.clears:
            before |= dict.fromkeys([f"{name}.grad" for name in self.operation.rules], 0.0)
        return before

    def _right_after(self, before: Sequence[Mapping[str, float]]) -> Mapping[str, Sequence[float | None]]:
        """Return right gradients for inputs without a gradient: plain numbers, and all inputs of an engine without gradients."""
        without = [n for n in self.operation.rules if n not in self.inputs or self.forward_only]
        if not (without and before):
            return {}
        out = Points(before).values(parse(self.operation.out))
        known = Points([{**each, "out.data": value} for each, value in zip(before, out, strict=True)])
        return {
            name: known.apply(
                "+", known.values(f"{name}.grad"), known.values(parse(self.operation.rules[name]))
            )
            for name in without
        }


_OF_ANY_FUNCTION = frozenset({"assigned", "nothing"})
_RETURNED = {"returns_none": "None", "returns_number": "a plain number"}
_CHANGES = ("forward_changes_data", "forward_changes_grad", "changes_data")
UNSET = {
    "default": "backward_default",
    "none": "backward_none",
    "missing": "no_backward",
    "not_callable": "backward_not_callable",
    "hands_back": "backward_returns",
    "hands_function": "backward_returns_function",
}
_KINDS: dict[Number, str] = {
    "object": "a Value",
    "none": "None",
    **{word: f"a {word}" for word in ("function", "text", "list", "tuple")},
    "array": "a numpy array",
    "other": "something that is not a number",
}
_NOT_FINITE = {"nan", "inf", "-inf"}


def _float(number: Number) -> float | None:
    return number if not isinstance(number, str) else float(number) if number in _NOT_FINITE else None


def _own_faults(readings: Sequence[_Reading]) -> list[WrongOperation]:
    """Return the operations that are wrong themselves: one made of other operations counts only if those are right."""
    wrong = [reading for reading in readings if not _is_doubtful(reading, readings) and reading.judged[0]]
    of_wrong = {reading.operation for reading in wrong}  # their variants with a plain number are derived, too
    others = [r for r in readings if r.derived and r.operation not in of_wrong and not r.judged[1]]
    return [
        WrongOperation(
            *(r.operation, r.trial.variant, r.judged[0], r.trial.shape, r.trial.rule, r.trial.method),
            frozenset(other.operation.name for other in others if r in _parts(other, readings)),
            _shares_rule(r, readings),
        )
        for r in wrong
    ]


def _shares_rule(reading: _Reading, readings: Sequence[_Reading]) -> bool:
    """Return True if a right operation has the same rule: then the fault may be in what the method hands to it."""
    codes = reading.trial.codes[:1]  # empty, or an empty text, for a result without a rule
    others = [r for r in readings if r.operation is not reading.operation and not r.derived and r.judged[1]]
    return any(codes) and any(r.trial.codes[:1] == codes for r in others)


def _is_doubtful(reading: _Reading, readings: Sequence[_Reading]) -> bool:
    """Return True if the fault may come from another operation, or from the same one on two Values. Raises OutOfTime."""
    if reading.derived and not reading.tried.complete:
        return True
    used = _parts(reading, readings)
    if reading.beside_number or reading.twice:
        used += [r for r in readings if r.operation is reading.operation and r.trial.variant == "values"]
    if all(r.judged[1] for r in used):
        return False
    forward_right = all(r.seen and r.seen.forward_right for r in used)  # whatever the gradients are
    computes_wrong = any(isinstance(found, Rule) and found.input == "out" for found in reading.judged[0])
    return not (computes_wrong and forward_right)


def _parts(reading: _Reading, readings: Sequence[_Reading]) -> list[_Reading]:
    """Return the other operations that one calls or, if that is unknown, those whose rules its nodes may have."""
    others = [r for r in readings if r.operation is not reading.operation]
    used = [r for r in others if r.key in reading.trial.uses]
    if used or not reading.derived:
        return used
    codes = set(reading.trial.codes)
    return [r for r in others if not r.derived and codes & set(r.trial.codes)]
