"""From what an engine did at the trials of an operation to the rule that it computes.

A reading is a formula (*core*), what is done about the shape to which broadcasting stretched the input (*reduction*),
and how the result gets into `grad` (*write*). Each is simulated in numpy, errors included, and compared with every trial.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import operator
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from grader.autograd.arrays.operations import (
    VERIFYING,
    ArrayOperation,
    cores_of,
    evaluated,
    trials_of,
)
from grader.autograd.arrays.reductions import NONE, PARTNERS, REDUCTIONS, RIGHT, Array, reduced

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

ENOUGH = 3  # shapes that a reading predicts
MOST = 2000  # readings that fit one trial: of more, none is looked for
MOST_PAIRS = 20_000  # the same for the readings of two inputs
TOLERANCES = {"float32": 2e-4}
TOLERANCE = 1e-7

# numpy's words for factors of a product that do not fit: the second's size and the first's; and the other way round.
_SIZES_OF_MATMUL = re.compile(
    r"^matmul: .* mismatch in its core dimension .*\(size (\d+) is different from (\d+)\)$"
)
_SIZES_OF_DOT = re.compile(r"^shapes .* not aligned: (\d+) \(dim \d+\) != (\d+) \(dim \d+\)$")
_SHAPE = re.compile(r"\(\d*(?:,\d*)*\)")

# --- How it is written


class Raised(NamedTuple):
    """An error of numpy's."""

    type: str
    text: str


def grad_after(how: str, first: Array | None, v: Array | Raised) -> Array | Raised | None:
    """Return what then stands in `grad`, where `first` was before: an array, a number, None, or an error.

    `how` is `+=` or `-=`, in place where `first` is an array, `= +` or `= -` for a new array, `=`, or empty for nothing.
    """
    if not how:
        return first
    if isinstance(v, Raised) or how == "=":
        return v
    if first is None:
        return v if "+" in how else Raised("TypeError", "")
    try:
        if isinstance(first, np.ndarray) and how in {"+=", "-="}:
            kept = first.copy()
            return (np.add if how == "+=" else np.subtract)(kept, v, out=kept)
        return first + v if "+" in how else first - v
    except (ValueError, TypeError) as error:
        return Raised(type(error).__name__, str(error))


# --- Readings


class ArrayRule(NamedTuple):
    """An engine adds this to the gradient of one input: a formula, its reduction, and how it is written."""

    core: str
    reduction: str
    write: str

    def cost(self, right: str) -> tuple[int, int, bool, int, int, str]:
        """Return an order: closest to the right rule first, then the plainest."""
        wrong = (
            (self.core != right) + (self.reduction not in {RIGHT, NONE}) + (self.write not in {"+=", "= +"})
        )
        signs = (self.core + self.write).count("-")
        place = [*REDUCTIONS].index(self.reduction)
        return wrong, signs, self.core != right, place, len(self.core), self.core + self.write


class TrialAnswer(NamedTuple):
    """The jail answers this about one trial.

    `out`, `firsts`, `grads` and `raw` hold arrays and numbers; anything else is a text there.
    `raw` is what an engine adds to gradients that are as large as the result.
    """

    stage: str
    error: Raised | None
    out: Any
    dtype: str
    firsts: list[Any]
    grads: list[Any]
    notes: list[str]
    unkept: list[int]  # operands to which nothing leads from the result, or functions alone
    raw: list[Any]
    parts: Sequence[str] = ()  # where the rules begin that hand the result's gradient on
    trial: int = 0  # which of the operation's trials it is

    @property
    def is_idle(self) -> bool:
        """True if no gradient changed, also where the operation is absent or raised before its rule ran."""
        return all(_same(one, other, 0) for one, other in zip(self.firsts, self.grads, strict=False))

    @property
    def tolerance(self) -> float:
        """The size of differences that are none."""
        return TOLERANCES.get(self.dtype, TOLERANCE)


class Read(NamedTuple):
    """The wrong readings of the inputs of one operation, its result if that is wrong, or what it does with memory.

    `lost` is an operand that the result does not keep, where other results keep theirs. `begins` has the class of leaves, the
    shape of a new one's data, and what its gradient is instead, where that is all that is wrong.
    """

    operation: ArrayOperation
    readings: dict[int, ArrayRule]
    out: str = ""
    memory: Mapping[int, str] = {}
    lost: int | None = None
    begins: tuple[str, ...] = ()


@functools.lru_cache(maxsize=100_000)
def value_of(operation: ArrayOperation, place: int, core: str, reduction: str, index: int) -> Array | Raised:
    """Return what a reading would write at a trial, or the error that numpy raises."""
    trial = trials_of(operation)[index]
    try:
        if reduction == NONE:
            return evaluated(operation, core, trial, place)
        v = value_of(operation, place, core, NONE, index)
        if isinstance(v, Raised):
            return v
        return REDUCTIONS[reduction](v, trial.leaves[place - (reduction == PARTNERS)].shape)
    except (ValueError, TypeError, IndexError, AttributeError) as error:  # AxisError is a ValueError
        return Raised(type(error).__name__, str(error))


@functools.lru_cache(maxsize=200)
def _table(
    operation: ArrayOperation, place: int, index: int
) -> dict[tuple[int, ...], tuple[Any, list[tuple[str, str]]]]:
    """Return all values at a trial, by shape: the entries of each in a row of a matrix, and which they are."""
    found: dict[tuple[int, ...], tuple[list[Any], list[tuple[str, str]]]] = {}
    for core in cores_of(operation, place):
        for reduction in REDUCTIONS if operation.broadcasts else (NONE,):
            v = value_of(operation, place, core, reduction, index)
            if not isinstance(v, Raised):
                values, names = found.setdefault(np.shape(v), ([], []))
                values.append(np.ravel(v).astype(float))
                names.append((core, reduction))
    return {shape: (np.array(values), names) for shape, (values, names) in found.items()}


def _fitting(operation: ArrayOperation, place: int, row: TrialAnswer) -> Iterator[ArrayRule]:
    """Yield the readings that fit one trial without an error."""
    first, grad = row.firsts[place], row.grads[place]
    wanted: list[tuple[str, Any]] = [("=", grad)]
    if first is not None:
        with contextlib.suppress(ValueError):
            added, taken = grad - first, first - grad
            wanted = [("+=", added), ("= +", added), *wanted, ("-=", taken), ("= -", taken)]
        if _same(first, grad, row.tolerance):
            yield ArrayRule("", NONE, "")
    for shape, (values, names) in _table(operation, place, row.trial).items():
        for write, v in wanted:
            if np.shape(v) != shape and (write == "=" or len(shape) > np.ndim(v)):
                continue
            with contextlib.suppress(ValueError, IndexError):
                target = np.ravel(reduced(v, shape, "first", "first"))  # numpy may have stretched it
                if target.size == values.shape[1]:
                    near = np.abs(values - target) <= row.tolerance * (1 + np.abs(target))
                    yield from (ArrayRule(*names[i], write) for i in np.flatnonzero(near.all(axis=1)))


def _same(one: Any, other: Any, tolerance: float) -> bool:
    if one is None or other is None:
        return one is other
    if np.shape(one) != np.shape(other):
        return False
    if not tolerance:
        return bool(np.all(one == other))
    return bool((np.abs(np.subtract(one, other, dtype=float)) <= tolerance * (1 + np.abs(other))).all())


def _agrees(predicted: Array | Raised | None, row: TrialAnswer, place: int) -> bool | None:
    """Return whether a prediction is what happened; None if that is unknown, because something else raised an error."""
    if row.error is None or not _same(row.grads[place], row.firsts[place], 0):  # its line ran
        return not isinstance(predicted, Raised) and _same(predicted, row.grads[place], row.tolerance)
    if isinstance(predicted, Raised) and predicted.type == row.error.type:
        return True if _about(predicted.text) == _about(row.error.text) else None
    return None


@functools.lru_cache(maxsize=1000)
def _about(text: str) -> tuple[str, ...]:
    """Return what an error is about: of `a * b` and `b * a` the shapes in one order, of a product the sizes that differ.

    `@` and `np.dot` have other words for the same.
    """
    if found := _SIZES_OF_MATMUL.search(text):
        return ("product", found[2], found[1])
    if found := _SIZES_OF_DOT.search(text):
        return ("product", found[1], found[2])
    shapes = _SHAPE.findall(text) if text.startswith("operands could not be broadcast together") else []
    return (_SHAPE.sub("", text), *sorted(shapes)) if shapes else (text,)


class _Judged(NamedTuple):
    reading: ArrayRule | None
    predictions: list[Any]
    raises: int  # a bit for each trial whose error it predicts


def _judged(
    operation: ArrayOperation, place: int, reading: ArrayRule, rows: Sequence[TrialAnswer]
) -> _Judged | None:
    """Return a reading with what it predicts, if nothing contradicts it and enough confirms it.

    It predicts trials of at least three shapes, numbers and a shape not searched on among them. Where it raises an error,
    it adds what the engine adds to gradients that have room.
    """
    predictions, seen, raises = list[Any](), list[TrialAnswer](), 0
    core, reduction, write = reading
    for i, row in enumerate(rows):
        v = value_of(operation, place, core, reduction, row.trial) if write else None
        predictions.append(predicted := grad_after(write, row.firsts[place], v))
        agrees, raised = _agrees(predicted, row, place), isinstance(predicted, Raised)
        added = row.raw[place] if raised and row.raw else None
        roomy = added if added is None else grad_after(write, np.zeros(np.shape(added)), v)
        if agrees is False or isinstance(roomy, Raised) or not _same(roomy, added, row.tolerance):
            return None
        seen += [row] if agrees else []
        raises |= (bool(agrees) and raised) << i
    shapes = {row.trial // 2 for row in seen}
    is_enough = len(shapes) >= ENOUGH and any(not row.error for row in seen)
    is_fresh = is_enough and max(shapes) >= len(operation.shapes) - VERIFYING
    return _Judged(reading, predictions, raises) if is_fresh else None


def right_of(operation: ArrayOperation, place: int) -> ArrayRule:
    """Return the right reading of an input, added in place."""
    return ArrayRule(operation.rules[place], RIGHT if operation.broadcasts else NONE, "+=")


def _wrong(operation: ArrayOperation, readings: Iterable[ArrayRule | None]) -> dict[int, ArrayRule]:
    """Return those that are neither unknown nor the right rule, in place or not."""
    return {
        place: each
        for place, each in enumerate(readings)
        if each and (each.write not in {"+=", "= +"} or each[:2] != right_of(operation, place)[:2])
    }


def _candidates(operation: ArrayOperation, place: int, rows: Sequence[TrialAnswer]) -> list[_Judged]:
    """Return the readings of one input that nothing contradicts, one for each that predicts something else."""
    usable = [row for row in rows if not row.error and row.grads[place] is not None]
    usable = [row for row in usable if row.trial // 2 < len(operation.shapes) - VERIFYING] or usable
    if not usable:
        return []
    # The trial that tells most: gradients before, and shapes that broadcasting stretches.
    trials = trials_of(operation)
    key = max(
        usable,
        key=lambda row: (
            np.ndim(row.firsts[place]) > 0 and bool(np.any(row.firsts[place])),
            np.size(row.grads[place]) > 1,
            np.shape(row.grads[place]) != np.shape(trials[row.trial].upstream),
            len(set(np.shape(trials[row.trial].upstream))),
        ),
    )
    right = right_of(operation, place)
    tried = [right, right._replace(write="= +"), *itertools.islice(_fitting(operation, place, key), MOST)]
    if len(tried) > MOST:
        return []
    kept: dict[tuple[Any, ...], _Judged] = {}
    # Where a formula gives 0 in every trial, nothing was written.
    for reading in sorted({*tried}, key=lambda each: (bool(each.write), each.cost(right.core))):
        found = _judged(operation, place, reading, rows)
        if found:
            kept.setdefault(_signature(found.predictions), found)
    return [*kept.values()]


def _signature(predictions: Iterable[Any]) -> tuple[Any, ...]:
    """Return what two readings share that predict the same at every trial."""
    return tuple(
        _about(each.text)
        if isinstance(each, Raised)
        else each
        if each is None
        else (np.shape(each), (np.round(np.asarray(each, float), 7) + 0.0).tobytes())
        for each in predictions
    )


def _only(readings: set[ArrayRule | None]) -> ArrayRule | None:
    """Return the one reading; of several that reduce in different ways where another error hides it, the one that does not."""
    if len(readings) == 1:
        return next(iter(readings))
    if None in readings or len({(each.core, each.write) for each in readings if each}) > 1:
        return None
    return next((each for each in readings if each and each.reduction == NONE), None)


def _search_rules(operation: ArrayOperation, rows: Sequence[TrialAnswer]) -> Read:
    """Return the readings of the inputs whose rule is wrong and known; none where two rules fit."""
    places = range(len(operation.rules))
    rights = [right_of(operation, place) for place in places]
    errors = sum(1 << i for i, row in enumerate(rows) if row.error)
    # The usual ones: the right rule, and without its reduction, in place or not.
    usual = [
        [
            _judged(operation, place, ArrayRule(right.core, reduction, write), rows)
            for reduction in dict.fromkeys((right.reduction, NONE))
            for write in ("+=", "= +")
        ]
        for place, right in enumerate(rights)
    ]
    for those in itertools.product(*(filter(None, each) for each in usual)):
        if _raised_by(those) == errors:
            return Read(operation, _wrong(operation, (each.reading for each in those)))
    nothing = [_Judged(None, [], 0)]
    found = [_candidates(operation, place, rows) or nothing for place in places]
    if math.prod(map(len, found)) > MOST_PAIRS:
        return Read(operation, {})
    ranks: dict[tuple[int, int], list[tuple[_Judged, ...]]] = {}
    for chosen in itertools.product(*found):
        faults = len(_wrong(operation, (each.reading for each in chosen)))
        ranks.setdefault((-_raised_by(chosen).bit_count(), faults), []).append(chosen)
    least = ranks[min(ranks)]
    known = [_only({chosen[place].reading for chosen in least}) for place in places]
    return Read(operation, _wrong(operation, known))


def _raised_by(chosen: Sequence[_Judged]) -> int:
    """Return the trials whose errors readings predict, a bit for each."""
    return functools.reduce(operator.or_, (each.raises for each in chosen), 0)


# --- An operation


def read_operation(operation: ArrayOperation, answers: Sequence[TrialAnswer]) -> Read | None:
    """Return what is wrong with one operation; None if nothing is, or if nothing is known of it."""
    is_absent = any(each.stage == "absent" for each in answers)
    is_stub = any(each.error and each.error.type == "NotImplementedError" for each in answers)
    numbers = (value for each in answers for value in (each.out, *each.firsts, *each.grads, *each.raw))
    if is_absent or is_stub or any(isinstance(value, str) for value in numbers):
        return None  # the last is an object that is neither an array nor a number
    answers = [each._replace(trial=index) for index, each in enumerate(answers)]
    outs, trials = [each for each in answers if each.out is not None], trials_of(operation)
    if not all(_same(each.out, trials[each.trial].out, each.tolerance) for each in outs):
        return _wrong_result(operation, outs)
    notes = {note for each in answers for note in each.notes}
    if "calls_inputs" in notes:
        return None  # what nodes between hand on more than once is no rule
    if memory := [note for note in _OF_MEMORY if note in notes]:
        return Read(
            operation, {}, memory={0: memory[0]}
        )  # what another input then reads is no rule of its own
    found = _search_rules(operation, [each for each in answers if each.stage in {"backward", "done"}])
    return found if found.readings else None


_OF_MEMORY = ("changes_upstream", "forward_changes_data", "changes_data")
_WRONG = frozenset({*_OF_MEMORY, "calls_inputs"})


def is_right_in(operation: ArrayOperation, answers: Sequence[TrialAnswer]) -> bool:
    """Return True if an operation gave the right result and the right gradients in each trial."""
    rights = []
    for index, each in enumerate(answers):
        values = (value_of(operation, i, *right_of(operation, i)[:2], index) for i in range(len(each.firsts)))
        grads = (grad_after("= +", *pair) for pair in zip(each.firsts, values, strict=True))
        rights.append([trials_of(operation)[index].out, *grads])
    return all(
        each.stage == "done"
        and _WRONG.isdisjoint(each.notes)
        and all(_same(*pair, each.tolerance) for pair in zip([each.out, *each.grads], right, strict=False))
        for each, right in zip(answers, rights, strict=True)
    )


def other_first(operation: ArrayOperation, answers: Sequence[TrialAnswer]) -> tuple[str, ...]:
    """Return the shape of the first new leaf whose gradient has another one, and what that is; nothing if there is none."""
    for trial, answer in zip(trials_of(operation), answers, strict=False):
        for leaf, first in () if trial.priors else zip(trial.leaves, answer.firsts, strict=False):
            if first is not None and not isinstance(first, str) and np.shape(first) != leaf.shape:
                shape = np.shape(first)
                return str(leaf.shape), f"has the shape {shape}" if shape else f"is the number {first:.5g}"
    return ()


def _wrong_result(operation: ArrayOperation, outs: Sequence[TrialAnswer]) -> Read | None:
    """Return the first formula that gives all results of an operation; None where none does."""
    trials = trials_of(operation)
    for formula in operation.outs if len(outs) >= 2 * ENOUGH else ():
        with contextlib.suppress(ValueError, TypeError):
            pairs = ((each, evaluated(operation, formula, trials[each.trial])) for each in outs)
            if all(_same(each.out, one, each.tolerance) for each, one in pairs):
                return Read(operation, {}, formula)
    return None
