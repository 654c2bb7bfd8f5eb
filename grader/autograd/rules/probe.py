"""The jail's answer for every operation of an engine, applied at generic points: requested here, and validated."""

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
from grader.sandbox import Proxy  # noqa: TC001  msgspec reads it

if TYPE_CHECKING:
    from collections.abc import Sequence

    from grader.autograd.rules.operations import Operation
    from grader.sandbox import Sandbox

SECONDS = 1.0  # seconds for all operations; the rest of the time is for other explanations
MANY = 16  # points, tried and fresh each, with a plain number on one side
FEW = 3  # points that are enough to see whether an operation does something
TWICE = 3  # points, tried and fresh each, with the same Value on both sides
MAX_TEXT = 60_000

Number = float | str | None
Side = Literal["self", "other"]
Again = tuple[
    tuple[tuple[str, str], tuple[int, ...]], ...
]  # operation, variant, and points that are tried again
Note = Annotated[str, Meta(max_length=250)]


class ProbeRow(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """One application: upstream gradient, result, both gradients after, notes."""

    up: Number
    out: Number
    left: Number
    right: Number
    notes: Note


class ProbeAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The jail's answer for one operation at all its points."""

    variant: str
    stage: str
    error: Note
    stuck: bool
    again: bool
    later: bool
    composite: bool
    codes: Annotated[tuple[Note, ...], Meta(max_length=20)]
    uses: Annotated[tuple[tuple[str, str], ...], Meta(max_length=100)]
    defines: bool  # its method made a function
    returns: Annotated[int, Meta(ge=0)]  # the line in which it returned before that; 0 otherwise
    cut: tuple[Side, ...] | None  # inputs to which nothing leads from the result
    unkept: tuple[Side, ...] | None  # inputs to which at most functions lead
    shape: str
    rows: Annotated[str, Meta(max_length=MAX_TEXT)]
    rule: Proxy | None = None  # the `_backward` that was called
    method: Proxy | None = None  # the method of the operation

    def without(self, **fields: object) -> ProbeAnswer:
        """Return the answer with other values for some fields, and without objects of the jail."""
        return replace(self, rule=None, method=None, **fields)


class Leaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """New leaves: the gradient at first, `data` if it is that, and which of them share one: `all`, those with `equal` data, or none."""

    start: Number = 0.0
    cleared: bool = False  # by `backward()`, before it hands anything on
    shared: Literal["", "all", "equal"] = ""
    init: Proxy | None = None  # the constructor


class _Answer(msgspec.Struct, forbid_unknown_fields=True):
    whole: bool
    clears: bool
    leaf: Leaf
    operations: list[list[ProbeAnswer]]


class Tried(msgspec.Struct, frozen=True, dict=True):
    """The jail's answer for one variant of an operation."""

    ask: Ask
    trial: ProbeAnswer
    clears: bool  # `backward()` sets the gradients of leaves to 0 first
    complete: bool  # every operation was tried, so it is known which are right

    @functools.cached_property
    def all_rows(self) -> list[ProbeRow | None]:
        """All applications; None for one that raised. Raises MsgspecError."""
        return msgspec.json.decode(self.trial.rows, type=list[ProbeRow | None])

    @functools.cached_property
    def rows(self) -> list[tuple[bool, dict[str, float], ProbeRow]]:
        """The applications that raised nothing: True for a fresh point, the point, the row."""
        asked = self.ask.asked(self.trial.variant)
        return [(fresh, point, row) for (point, fresh), row in zip(asked, self.all_rows, strict=False) if row]

    @property
    def key(self) -> tuple[str, str]:
        """The operation and the variant."""
        return self.ask.operation.name, self.trial.variant

    @property
    def telling(self) -> list[int]:
        """The first applications, the first with notes, and the first that raised: their indices among all."""
        noted = [i for i, row in enumerate(self.all_rows) if row and row.notes]
        raised = [i for i, row in enumerate(self.all_rows) if row is None]
        return sorted({*range(min(FEW, len(self.all_rows))), *noted[:FEW], *raised[:1]})

    @property
    def places(self) -> tuple[int, ...]:
        """The telling applications: the indices of their points."""
        places = self.ask.places(self.trial.variant)
        return tuple(places[i] for i in self.telling)

    def is_confirmed(self, again: Tried | None) -> bool:
        """Return True if another look, at the telling applications, gave the same."""
        if again is None or _facts(self.trial) != _facts(again.trial):
            return False
        pairs = [
            (_shown(self.all_rows[i], i), _shown(other, i))
            for i, other in zip(self.telling, again.all_rows, strict=False)
        ]
        return bool(pairs) and all(one == other for one, other in pairs)

    @property
    def is_idle(self) -> bool:
        """True if `_backward` of the result is a leaf's and did nothing at any point."""
        return all("default" in row.notes.split() for row in self.all_rows if row)


class Probed(NamedTuple):
    """The jail's answer: new leaves, and every variant of every operation."""

    leaf: Leaf
    tried: list[Tried]


NOTHING = Probed(Leaf(), [])


def _facts(trial: ProbeAnswer) -> ProbeAnswer:
    """Return a trial without what depends on the points; the text of an error may hold an address."""
    return trial.without(rows="", error=trial.error.partition(":")[0], codes=())


def _shown(row: ProbeRow | None, place: int) -> ProbeRow | None:
    """Return a row without the note about older nodes where they are not watched at every look."""
    if row is None or place < FEW:
        return row
    return replace(row, notes=row.notes.replace("changes_older_node", "").strip())


def ask_all(sandbox: Sandbox, operations: Sequence[Operation], again: Again | None = None) -> Probed:
    """Load the submission afresh and try every operation; return NOTHING for an answer of another format.

    With `again` only these points are tried.
    Raises StudentError, SubmissionStopped.
    """
    sandbox.load()
    names = (engine_of(sandbox).node, engine_of(sandbox).backward)
    make, backward = map(functions_of(sandbox, names).get, names)
    if make is None or not operations:
        return NOTHING
    asks, plan = _plan(tuple(operations), again)
    try:
        with sandbox.budget.within("probe", SECONDS):
            probe = inside.helper(sandbox, ("application", "trials"), "probe")
            answer = probe(make, backward, plan, SECONDS / 2)
        return _validated(asks, answer)
    except (TypeError, ValueError, msgspec.MsgspecError):
        return NOTHING


@functools.lru_cache(maxsize=32)
def _plan(operations: tuple[Operation, ...], again: Again | None) -> tuple[list[Ask], str]:
    """Return the requests for these operations, and their text."""
    asks = [Ask(operation, again) for operation in operations]
    return [ask for ask in asks if ask.variants], json.dumps([ask.plan for ask in asks])


class Ask:
    """The request for one operation: its variants and its points."""

    def __init__(self, operation: Operation, again: Again | None = None) -> None:
        self.operation = operation
        self.again = None if again is None else dict(again)
        self.tried, self.fresh = observation_points(operation), fresh_points(operation)
        self.points = [*self.tried, *self.fresh]
        beside_number = ["number_right", "number_left"] if operation.symbol else []
        variants = ["number_right"] if operation.takes_n else ["alone"]
        if operation.binary:
            variants = ["values", "twice", *beside_number]
        self.variants = [
            each for each in variants if self.again is None or (operation.name, each) in self.again
        ]

    @functools.cached_property
    def plan(self) -> dict[str, Any]:
        """The request as plain data, with the numbers in the order that the jail expects."""
        leaves = [
            "self.data",
            *(["other.data"] if self.operation.binary else ["n"][: self.operation.takes_n]),
        ]
        priors = [f"{name}.grad" for name in self.operation.rules]
        trials = [
            [[point[name] for name in leaves], [point[name] for name in priors], [], point["out.grad"]]
            for point in self.points
        ]
        whole = self.variants[:1] if self.again is None else []
        few = {variant: self.places(variant) for variant in self.variants if variant not in whole}
        return {
            "name": self.operation.name,
            "keywords": {},
            "variants": self.variants,
            "trials": trials,
            "few": few,
        }

    def places(self, variant: str) -> list[int]:
        """Return the indices of the points of a variant: all for the first one, a few for the others.

        For a plain number beside a Value the repeated points are among them.
        """
        if self.again is not None:
            return [*self.again[self.operation.name, variant]]
        tried, fresh = len(self.tried), len(self.fresh)
        if variant == self.variants[0]:
            return [*range(tried + fresh)]
        if variant == "twice":
            return [*range(TWICE), *range(tried, tried + TWICE)]
        return [*range(MANY - 2), tried - 2, tried - 1, *range(tried, tried + min(MANY, fresh))]

    def asked(self, variant: str) -> list[tuple[dict[str, float], bool]]:
        """Return the points of a variant, each with True for a fresh one."""
        return [(self.points[i], i >= len(self.tried)) for i in self.places(variant)]


def _validated(asks: Sequence[Ask], answer: Any) -> Probed:
    """Read the jail's answer. Raises ValueError, MsgspecError."""
    valid = msgspec.convert(answer, _Answer)
    complete = all(len(t) == len(ask.variants) for ask, t in zip(asks, valid.operations, strict=True))
    tried = [
        Tried(ask, trial, valid.clears, complete)
        for ask, trials in zip(asks, valid.operations, strict=True)
        for trial in trials
    ]
    for each in tried:
        variant = each.trial.variant
        if variant not in each.ask.variants or len(each.all_rows) > len(each.ask.asked(variant)):
            raise ValueError(variant)
    return Probed(valid.leaf, tried)
