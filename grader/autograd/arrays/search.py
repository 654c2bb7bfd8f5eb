"""The search for the rule of an engine, from its results at the trials of an operation.

A reading is a formula (*core*), a way back to the shape of a stretched input (*reduction*), and a way to write the result
into `grad` (*write*). Each reading is simulated in numpy, errors included, and compared with every trial.
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

from grader.autograd.arrays.formulas import one_edit_away, regroupings
from grader.autograd.arrays.operations import (
    VERIFYING,
    ArrayOperation,
    evaluate_formula,
    trials_of,
)
from grader.autograd.arrays.reductions import NONE, PARTNERS, REDUCTIONS, RIGHT, Array, reduce_axes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

ENOUGH = 3  # a reading must predict this many shapes
MOST = 2000  # readings that fit one trial; with more, the search gives up
MOST_PAIRS = 20_000  # the same for the readings of two inputs
TOLERANCES = {"float32": 2e-4}
TOLERANCE = 1e-7

# numpy's errors for factors of a product that do not fit: with the second size first, and with the first size first.
_SIZES_OF_MATMUL = re.compile(
    r"^matmul: .* mismatch in its core dimension .*\(size (\d+) is different from (\d+)\)$"
)
_SIZES_OF_DOT = re.compile(r"^shapes .* not aligned: (\d+) \(dim \d+\) != (\d+) \(dim \d+\)$")
_SHAPE = re.compile(r"\(\d*(?:,\d*)*\)")

# --- How it is written


class NumpyError(NamedTuple):
    """An error that numpy raised."""

    type: str
    text: str


def grad_after(how: str, first: Array | None, v: Array | NumpyError) -> Array | NumpyError | None:
    """Return the new `grad` after `first`: an array, a number, None, or an error.

    `how` is `+=` or `-=`, in place if `first` is an array; `= +` or `= -` for a new array; `=`; or empty if nothing is
    written.
    """
    if not how:
        return first
    if isinstance(v, NumpyError) or how == "=":
        return v
    if first is None:
        return v if "+" in how else NumpyError("TypeError", "")
    try:
        if isinstance(first, np.ndarray) and how in {"+=", "-="}:
            kept = first.copy()
            return (np.add if how == "+=" else np.subtract)(kept, v, out=kept)
        return first + v if "+" in how else first - v
    except (ValueError, TypeError) as error:
        return NumpyError(type(error).__name__, str(error))


# --- Readings


class ArrayRule(NamedTuple):
    """The rule of an engine for one input: a formula, its reduction, and the way it is written."""

    core: str
    reduction: str
    write: str

    def cost(self, right: str) -> tuple[int, int, bool, int, int, str]:
        """Return a sort key: rules closest to the right one first, then the plainest."""
        wrong = (
            (self.core != right) + (self.reduction not in {RIGHT, NONE}) + (self.write not in {"+=", "= +"})
        )
        signs = (self.core + self.write).count("-")
        place = [*REDUCTIONS].index(self.reduction)
        return wrong, signs, self.core != right, place, len(self.core), self.core + self.write


class TrialReply(NamedTuple):
    """The jail's reply about one trial.

    `out`, `firsts`, `grads` and `raw` hold arrays and numbers; any other object is a text there.
    `raw` is the contribution that an engine adds to gradients as large as the result.
    """

    stage: str
    error: NumpyError | None
    out: Any
    dtype: str
    firsts: list[Any]
    grads: list[Any]
    notes: list[str]
    unkept: list[int]  # operands that nothing links to the result, or only functions
    raw: list[Any]
    parts: Sequence[str] = ()  # where the rules that hand on the result's gradient begin
    trial: int = 0  # the index of the trial

    @property
    def is_idle(self) -> bool:
        """True if no gradient changed, even if the operation is absent or raised before its rule ran."""
        return all(_same(one, other, 0) for one, other in zip(self.firsts, self.grads, strict=False))

    @property
    def tolerance(self) -> float:
        """The relative difference that counts as equal."""
        return TOLERANCES.get(self.dtype, TOLERANCE)


class Read(NamedTuple):
    """The wrong readings of the inputs of one operation, its wrong result, or its misuse of memory.

    `lost` is an operand that the result does not keep, if other results keep theirs. `begins` is set if only the first gradient
    of a new leaf is wrong: the class of leaves, the shape of its data, and words for its gradient.
    """

    operation: ArrayOperation
    readings: dict[int, ArrayRule]
    out: str = ""
    memory: Mapping[int, str] = {}
    lost: int | None = None
    begins: tuple[str, ...] = ()


@functools.lru_cache(maxsize=100_000)
def value_of(
    operation: ArrayOperation, place: int, core: str, reduction: str, index: int
) -> Array | NumpyError:
    """Return the value that a reading would write at a trial, or the error that numpy raises."""
    trial = trials_of(operation)[index]
    try:
        if reduction == NONE:
            return evaluate_formula(operation, core, trial, place)
        v = value_of(operation, place, core, NONE, index)
        if isinstance(v, NumpyError):
            return v
        return REDUCTIONS[reduction](v, trial.leaves[place - (reduction == PARTNERS)].shape)
    except (ValueError, TypeError, IndexError, AttributeError) as error:  # AxisError is a ValueError
        return NumpyError(type(error).__name__, str(error))


def _cores_of(operation: ArrayOperation, place: int) -> Iterator[str]:
    """Yield the formulas to compare an input's rule with: the right one, the other input's, further ones, then edits.

    The edits are of every spelling of the right rule.
    """
    right, other = operation.rules[place], operation.rules[-1 - place]
    seen = dict.fromkeys([right, other, *operation.more])
    for spelling in (right, *operation.spellings.get(place, ())):
        seen |= dict.fromkeys(
            [spelling, *one_edit_away(spelling, binary=operation.is_binary), *regroupings(spelling)]
        )
    yield from seen


@functools.lru_cache(maxsize=200)
def _table(
    operation: ArrayOperation, place: int, index: int
) -> dict[tuple[int, ...], tuple[Any, list[tuple[str, str]]]]:
    """Return all values at a trial, by shape: a matrix with the entries of one value in each row, and the names of the rows."""
    found: dict[tuple[int, ...], tuple[list[Any], list[tuple[str, str]]]] = {}
    for core in _cores_of(operation, place):
        for reduction in REDUCTIONS if operation.broadcasts else (NONE,):
            v = value_of(operation, place, core, reduction, index)
            if not isinstance(v, NumpyError):
                values, names = found.setdefault(np.shape(v), ([], []))
                values.append(np.ravel(v).astype(float))
                names.append((core, reduction))
    return {shape: (np.array(values), names) for shape, (values, names) in found.items()}


def _fitting(operation: ArrayOperation, place: int, row: TrialReply) -> Iterator[ArrayRule]:
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
                target = np.ravel(reduce_axes(v, shape, "first", "first"))  # numpy may have stretched it
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


def _agrees(predicted: Array | NumpyError | None, row: TrialReply, place: int) -> bool | None:
    """Return True if a prediction came true; None if that is unknown, because something else raised an error."""
    if row.error is None or not _same(row.grads[place], row.firsts[place], 0):  # its line ran
        return not isinstance(predicted, NumpyError) and _same(predicted, row.grads[place], row.tolerance)
    if isinstance(predicted, NumpyError) and predicted.type == row.error.type:
        return True if _about(predicted.text) == _about(row.error.text) else None
    return None


@functools.lru_cache(maxsize=1000)
def _about(text: str) -> tuple[str, ...]:
    """Return a key for an error: the same one for `a * b` and `b * a`, and for `@` and `np.dot`.

    >>> _about("shapes (3,4) and (5,6) not aligned: 4 (dim 1) != 5 (dim 0)")
    ('product', '4', '5')
    """
    if found := _SIZES_OF_MATMUL.search(text):
        return ("product", found[2], found[1])
    if found := _SIZES_OF_DOT.search(text):
        return ("product", found[1], found[2])
    shapes = _SHAPE.findall(text) if text.startswith("operands could not be broadcast together") else []
    return (_SHAPE.sub("", text), *sorted(shapes)) if shapes else (text,)


class _ConfirmedReading(NamedTuple):
    reading: ArrayRule | None
    predictions: list[Any]
    raises: int  # a bit for each trial whose error it predicts


def _confirm_reading(
    operation: ArrayOperation, place: int, reading: ArrayRule, rows: Sequence[TrialReply]
) -> _ConfirmedReading | None:
    """Return a reading with its predictions, if nothing contradicts it and enough trials confirm it.

    It must predict trials of at least three shapes, at least one with numbers and one with a shape that the search did not
    use. Where it raises an error, it must add the engine's contribution to gradients of the size of the result.
    """
    predictions, seen, raises = list[Any](), list[TrialReply](), 0
    core, reduction, write = reading
    for i, row in enumerate(rows):
        v = value_of(operation, place, core, reduction, row.trial) if write else None
        predictions.append(predicted := grad_after(write, row.firsts[place], v))
        agrees, raised = _agrees(predicted, row, place), isinstance(predicted, NumpyError)
        added = row.raw[place] if raised and row.raw else None
        roomy = added if added is None else grad_after(write, np.zeros(np.shape(added)), v)
        if agrees is False or isinstance(roomy, NumpyError) or not _same(roomy, added, row.tolerance):
            return None
        seen += [row] if agrees else []
        raises |= (bool(agrees) and raised) << i
    shapes = {row.trial // 2 for row in seen}
    is_enough = len(shapes) >= ENOUGH and any(not row.error for row in seen)
    is_fresh = is_enough and max(shapes) >= len(operation.shapes) - VERIFYING
    return _ConfirmedReading(reading, predictions, raises) if is_fresh else None


def right_of(operation: ArrayOperation, place: int) -> ArrayRule:
    """Return the right reading of an input, added in place."""
    return ArrayRule(operation.rules[place], RIGHT if operation.broadcasts else NONE, "+=")


def _wrong(operation: ArrayOperation, readings: Iterable[ArrayRule | None]) -> dict[int, ArrayRule]:
    """Return the known readings that are not the right rule, written in place or not."""
    return {
        place: each
        for place, each in enumerate(readings)
        if each and (each.write not in {"+=", "= +"} or each[:2] != right_of(operation, place)[:2])
    }


def _candidates(operation: ArrayOperation, place: int, rows: Sequence[TrialReply]) -> list[_ConfirmedReading]:
    """Return the readings of one input that nothing contradicts, one for each set of predictions."""
    usable = [row for row in rows if not row.error and row.grads[place] is not None]
    usable = [row for row in usable if row.trial // 2 < len(operation.shapes) - VERIFYING] or usable
    if not usable:
        return []
    # The trial that says most: one with gradients before, and with shapes that broadcasting stretches.
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
    kept: dict[tuple[Any, ...], _ConfirmedReading] = {}
    # If a formula gives 0 in every trial, prefer the reading that writes nothing.
    for reading in sorted({*tried}, key=lambda each: (bool(each.write), each.cost(right.core))):
        found = _confirm_reading(operation, place, reading, rows)
        if found:
            kept.setdefault(_signature(found.predictions), found)
    return [*kept.values()]


def _signature(predictions: Iterable[Any]) -> tuple[Any, ...]:
    """Return a key for predictions; it is equal for readings that predict the same at every trial."""
    return tuple(
        _about(each.text)
        if isinstance(each, NumpyError)
        else each
        if each is None
        else (np.shape(each), (np.round(np.asarray(each, float), 7) + 0.0).tobytes())
        for each in predictions
    )


def _only(readings: set[ArrayRule | None]) -> ArrayRule | None:
    """Return the only reading; None if there are several.

    If they differ only in the reduction, because another error hides it, return the reading without a reduction.
    """
    if len(readings) == 1:
        return next(iter(readings))
    if None in readings or len({(each.core, each.write) for each in readings if each}) > 1:
        return None
    return next((each for each in readings if each and each.reduction == NONE), None)


def _search_rules(operation: ArrayOperation, rows: Sequence[TrialReply]) -> Read:
    """Return the wrong rules of the inputs; none for an input if two rules fit."""
    places = range(len(operation.rules))
    rights = [right_of(operation, place) for place in places]
    errors = sum(1 << i for i, row in enumerate(rows) if row.error)
    # Fast path: the right rule, with or without its reduction, in place or not.
    usual = [
        [
            _confirm_reading(operation, place, ArrayRule(right.core, reduction, write), rows)
            for reduction in dict.fromkeys((right.reduction, NONE))
            for write in ("+=", "= +")
        ]
        for place, right in enumerate(rights)
    ]
    for those in itertools.product(*(filter(None, each) for each in usual)):
        if _raised_by(those) == errors:
            return Read(operation, _wrong(operation, (each.reading for each in those)))
    nothing = [_ConfirmedReading(None, [], 0)]
    found = [_candidates(operation, place, rows) or nothing for place in places]
    if math.prod(map(len, found)) > MOST_PAIRS:
        return Read(operation, {})
    ranks: dict[tuple[int, int], list[tuple[_ConfirmedReading, ...]]] = {}
    for chosen in itertools.product(*found):
        faults = len(_wrong(operation, (each.reading for each in chosen)))
        ranks.setdefault((-_raised_by(chosen).bit_count(), faults), []).append(chosen)
    least = ranks[min(ranks)]
    known = [_only({chosen[place].reading for chosen in least}) for place in places]
    return Read(operation, _wrong(operation, known))


def _raised_by(chosen: Sequence[_ConfirmedReading]) -> int:
    """Return a number with a bit for each trial whose error these readings predict."""
    return functools.reduce(operator.or_, (each.raises for each in chosen), 0)


# --- An operation


def read_operation(operation: ArrayOperation, answers: Sequence[TrialReply]) -> Read | None:
    """Return the fault of one operation; None if it has none, or if it is unknown."""
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
        return None  # nodes in between hand on more than once, so the numbers show no rule
    if memory := [note for note in _OF_MEMORY if note in notes]:
        return Read(operation, {}, memory={0: memory[0]})  # the numbers of other inputs then show no rule
    found = _search_rules(operation, [each for each in answers if each.stage in {"backward", "done"}])
    return found if found.readings else None


_OF_MEMORY = ("on_input", "repeats_inputs", "changes_upstream", "forward_changes_data", "changes_data")
_WRONG = frozenset({*_OF_MEMORY, "calls_inputs"})


def is_right_in(operation: ArrayOperation, answers: Sequence[TrialReply]) -> bool:
    """Return True if an operation gave the right result and the right gradients in each trial."""
    rights = []
    for index, (each, trial) in enumerate(zip(answers, trials_of(operation), strict=False)):
        values = (value_of(operation, i, *right_of(operation, i)[:2], index) for i in range(len(each.firsts)))
        begins = each.firsts if trial.priors else [np.zeros_like(leaf) for leaf in trial.leaves]
        grads = (grad_after("= +", *pair) for pair in zip(begins, values, strict=False))
        rights.append([trial.out, *grads])
    return all(
        each.stage == "done"
        and _WRONG.isdisjoint(each.notes)
        and all(_same(*pair, each.tolerance) for pair in zip([each.out, *each.grads], right, strict=False))
        for each, right in zip(answers, rights, strict=True)
    )


def other_first(operation: ArrayOperation, answers: Sequence[TrialReply]) -> tuple[str, ...]:
    """Return the shape of the first new leaf whose gradient is not zeros in it, and words for that gradient; else nothing."""
    for trial, answer in zip(trials_of(operation), answers, strict=False):
        for leaf, first in () if trial.priors else zip(trial.leaves, answer.firsts, strict=False):
            shape = np.shape(first)
            if first is None or isinstance(first, str) or (shape == leaf.shape and not np.any(first)):
                continue
            had = f"has the shape {shape}" if shape else f"is the number {first:.5g}"
            return str(leaf.shape), had if shape != leaf.shape else "does not hold zeros"
    return ()


def _wrong_result(operation: ArrayOperation, outs: Sequence[TrialReply]) -> Read | None:
    """Return the first formula with all results of an operation; None without one."""
    trials = trials_of(operation)
    for formula in operation.outs if len(outs) >= 2 * ENOUGH else ():
        with contextlib.suppress(ValueError, TypeError):
            pairs = ((each, evaluate_formula(operation, formula, trials[each.trial])) for each in outs)
            if all(_same(each.out, one, each.tolerance) for each, one in pairs):
                return Read(operation, {}, formula)
    return None
