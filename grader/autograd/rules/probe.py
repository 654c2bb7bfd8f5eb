"""The request to the jail to apply every operation of an engine at generic points, and its validated reply."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from grader.autograd import inside
from grader.autograd.engine import engine_of, functions_of
from grader.autograd.rules.observations import fresh_points, observation_points
from grader.sandbox import Proxy, Sandbox  # noqa: TC001  msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from grader.autograd.rules.operations import Operation

SECONDS = 1.0  # for all operations; the rest of the time is for other explanations
MANY = 16  # tried points, and as many fresh ones, with a plain number on one side
TWICE = 3  # tried points, and as many fresh ones, with the same Value on both sides
MAX_TEXT = 60_000

Number = float | str | None
Side = Literal["self", "other"]
Key = tuple[str, str]  # an operation and a variant
Note = Annotated[str, Meta(max_length=250)]


class ProbeRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """One application: upstream gradient, result, both gradients after, notes."""

    up: Number
    out: Number
    left: Number
    right: Number
    notes: Note


class _ProbeReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The jail's reply for one operation at all its points."""

    name: str
    variant: str
    stage: str
    error: Note
    again: bool
    composite: bool
    codes: Annotated[tuple[Note, ...], Meta(max_length=20)]
    uses: Annotated[tuple[tuple[str, str], ...], Meta(max_length=100)]
    defines: bool  # its method made a function
    cut: tuple[Side, ...] | None  # inputs that nothing links to the result
    unkept: tuple[Side, ...] | None  # inputs that at most functions link to the result
    shape: str
    rows: Annotated[str, Meta(max_length=MAX_TEXT)]
    rule: Proxy | None = None  # the `_backward` that was called
    method: Proxy | None = None  # the method of the operation

    def without(self, **fields: object) -> _ProbeReply:
        """Return the reply with other values for some fields, and without objects of the jail."""
        return replace(self, rule=None, method=None, **fields)


class _Leaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """New leaves: their first gradient, `data` if it is the data, and which leaves share one gradient.

    `shared` is `all`, `equal` for leaves with equal data, or empty.
    """

    start: Number = 0.0
    cleared: bool = False  # by `backward()`, before it hands anything on
    shared: Literal["", "all", "equal"] = ""
    init: Proxy | None = None  # the constructor


class VariantReply(msgspec.Struct, frozen=True, dict=True):
    """The jail's reply for one variant of an operation."""

    ask: _Ask
    trial: _ProbeReply
    clears: bool  # `backward()` sets the gradients of leaves to 0 first
    complete: bool  # every operation was tried, so it is known which are right

    @functools.cached_property
    def all_rows(self) -> list[ProbeRow | None]:
        """All applications; None for one that raised. Raises MsgspecError."""
        return msgspec.json.decode(self.trial.rows, type=list[ProbeRow | None])

    @functools.cached_property
    def rows(self) -> list[tuple[bool, dict[str, float], ProbeRow]]:
        """The applications that raised nothing: True for a fresh point, the point, the row."""
        points = [*((False, point) for point in self.ask.tried), *((True, point) for point in self.ask.fresh)]
        return [(*each, row) for each, row in zip(points, self.all_rows, strict=False) if row]

    def is_confirmed(self, again: VariantReply | None) -> bool:
        """Return True if a second trial, in reverse, gave the same."""
        if again is None or _facts(self.trial) != _facts(again.trial):
            return False
        return bool(self.all_rows) and self.all_rows == again.all_rows[::-1]

    @property
    def is_idle(self) -> bool:
        """True if the result has the `_backward` of a leaf at every point, which does nothing."""
        return all("default" in row.notes.split() for row in self.all_rows if row)


class EngineReply(NamedTuple):
    """The jail's reply: new leaves, and every variant of every operation."""

    leaf: _Leaf
    tried: list[VariantReply]


NOTHING = EngineReply(_Leaf(), [])


def _facts(trial: _ProbeReply) -> _ProbeReply:
    """Return a trial without its parts that depend on the points. The text of an error may hold an address."""
    return trial.without(rows="", error=trial.error.partition(":")[0], codes=())


def ask_all(
    sandbox: Sandbox, operations: Sequence[Operation], again: frozenset[Key] | None = None
) -> EngineReply:
    """Load the submission afresh and try every operation; return NOTHING for a reply of another format.

    With `again`, only these variants are tried. Raises StudentError, SubmissionStopped.
    """
    sandbox.load()
    names = (engine_of(sandbox).node, engine_of(sandbox).backward)
    make, backward = map(functions_of(sandbox, names).get, names)
    if make is None or not operations:
        return NOTHING
    asks = {ask.key: ask for operation in operations for ask in asks_of(operation)}
    try:
        with sandbox.budget.within("probe", SECONDS):
            probe = inside.helper(sandbox, ("application", "trials"), "probe")
            answer = probe(make, backward, _plan(tuple(operations), again), SECONDS / 2)
        return _validate_reply(asks, answer)
    except (LookupError, TypeError, ValueError, msgspec.MsgspecError):
        return NOTHING


@functools.lru_cache(maxsize=32)
def _plan(operations: tuple[Operation, ...], again: frozenset[Key] | None) -> str:
    """Return the requests as JSON. With `again`, these have their trials in reverse, and all others have none."""
    asks = [ask for operation in operations for ask in asks_of(operation)]
    return json.dumps(
        [
            {**ask.plan, "trials": ask.plan["trials"][::-1] * (ask.key in again)}
            if again is not None
            else ask.plan
            for ask in asks
        ]
    )


class _Ask(NamedTuple):
    """The request for one variant of an operation: the points for the search, and the points for verification."""

    operation: Operation
    variant: str
    tried: Sequence[dict[str, float]]
    fresh: Sequence[dict[str, float]]

    @property
    def key(self) -> Key:
        """The operation and the variant."""
        return self.operation.name, self.variant

    @property
    def plan(self) -> dict[str, Any]:
        """The request as plain data."""
        leaves = [
            "self.data",
            *(["other.data"] if self.operation.binary else ["n"][: self.operation.takes_n]),
        ]
        priors = [f"{name.partition('.')[0]}.grad" for name in leaves]  # a plain number has none
        trials = [
            [[point[name] for name in leaves], [point.get(name) for name in priors], [], point["out.grad"]]
            for point in (*self.tried, *self.fresh)
        ]
        return {"name": self.operation.name, "keywords": {}, "variant": self.variant, "trials": trials}


@functools.lru_cache(maxsize=200)
def asks_of(operation: Operation) -> list[_Ask]:
    """Return the requests for an operation: the first with all points, the others with a few.

    The few points with a plain number include the repeated ones.
    """
    tried, fresh = observation_points(operation), fresh_points(operation)
    if not operation.binary:
        return [_Ask(operation, "number_right" if operation.takes_n else "alone", tried, fresh)]
    beside = [*tried[: MANY - 2], *tried[-2:]], fresh[:MANY]
    return [
        _Ask(operation, "values", tried, fresh),
        _Ask(operation, "twice", tried[:TWICE], fresh[:TWICE]),
        *(_Ask(operation, each, *beside) for each in ("number_right", "number_left") if operation.symbol),
    ]


def _validate_reply(asks: Mapping[Key, _Ask], answer: Any) -> EngineReply:
    """Read the jail's reply. Raises KeyError, ValueError, MsgspecError."""
    clears, leaf, operations = msgspec.convert(answer, tuple[bool, _Leaf, list[_ProbeReply]])
    complete = len(operations) == len(asks)
    tried = [VariantReply(asks[each.name, each.variant], each, clears, complete) for each in operations]
    keys = {each.ask.key for each in tried}
    if len(keys) < len(tried) or any(
        len(each.all_rows) > len(each.ask.tried) + len(each.ask.fresh) for each in tried
    ):
        raise ValueError(keys)
    return EngineReply(leaf, tried)
