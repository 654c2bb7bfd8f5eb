"""A reading beside the right rule: their relation, shapes with which it shows, and a statement that does what it says."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from grader.autograd.arrays.formulas import SUMMED_FIRST, regrouped
from grader.autograd.arrays.operations import trials_of
from grader.autograd.arrays.reductions import NONE, RIGHT, WRITTEN
from grader.autograd.arrays.search import Raised, grad_after, right_of, value_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.autograd.arrays.operations import ArrayOperation, ArrayTrial
    from grader.autograd.arrays.search import ArrayRule

SIDES = ("self", "other")
_OF_SHAPES = re.compile(r"np\.(ones_like|size)\(\w+\)|\b\w+\.(size|shape)\b|\blen\(\w+\)")  # no value is used
# Relations that are another name in the right rule.
_OTHER_NAMES = (
    ("output_for_input", "x", "out"),
    ("output_for_input", "y", "out"),
    ("input_for_output", "out", "x"),
    ("upstream_for_value", "x", "up"),
    ("upstream_for_value", "out", "up"),
    ("value_for_upstream", "up", "out"),
    ("value_for_upstream", "up", "x"),
)


def relations_of(operation: ArrayOperation, place: int, reading: ArrayRule) -> tuple[list[str], str, str]:
    """Return how a reading differs from the right rule beside its reduction: relations, a factor, shapes to show it with."""
    core, factor, shapes = reading.core, "", ""
    found = []
    if core.startswith("put(") or core in SUMMED_FIRST:
        found = ["rows_once" if core.startswith("put(") else "summed_first"]
    elif core != operation.rules[place]:
        relation, factor, shapes = _relation(operation, place, core)
        found = [relation] if relation else []
    if reading.write == "=":
        found.append("assigned")
    elif reading.write in {"-=", "= -"}:
        found = [each for each in found if each != "sign"] if "sign" in found else [*found, "sign"]
    return found, factor, shapes


def _relation(operation: ArrayOperation, place: int, core: str) -> tuple[str, str, str]:
    """Return what a wrong formula is to the right one at all trials: a relation, or a factor and shapes."""
    right = operation.rules[place]
    trials = trials_of(operation)

    def values(formula: str) -> list[Any]:
        return [value_of(operation, place, formula, NONE, i) for i in range(len(trials))]

    got = values(core)
    raises = any(isinstance(v, Raised) for v in got)
    for relation, formula in _related(right, two=operation.is_binary, named=not raises):
        pairs = [pair for pair in zip(got, values(formula), strict=True) if not isinstance(pair[0], Raised)]
        if pairs and all(_close(*pair) for pair in pairs):
            return relation, "", ""
    if any(core in regrouped(each) for each in (right, *operation.spellings.get(place, ()))):
        return "parentheses", "", ""
    ratios = [] if raises else [_ratio(*pair) for pair in zip(got, values(right), strict=True)]
    if all(each is not None and np.ptp(each) < 1e-9 * abs(each.flat[0]) for each in ratios):
        for ratio, trial in zip(ratios, trials, strict=False):  # another number for other shapes
            if abs(ratio.flat[0] - 1) > 1e-3:
                return "scaled", f"{ratio.flat[0]:.4g}", shapes_in(operation, trial)
    return "", "", ""


def _related(right: str, *, two: bool, named: bool) -> Iterator[tuple[str, str]]:
    """Yield the formulas that have a relation to a right one, those with another name in it if they are `named`."""
    ones = re.sub(r"\bup\b", "np.ones_like(up)", right)
    yield "sign", f"-({right})"
    yield "doubled", f"2 * ({right})"
    yield "halved", f"({right}) / 2"
    yield "upstream_missing", ones
    yield "upstream_squared", f"({right}) * up if np.shape({right}) == np.shape(up) else None"
    # Where the local derivative is 1, only the place may be another.
    spread = f"np.shape({ones}) != np.shape(up) and np.array_equal({ones}, np.round({ones}))"
    yield "local_missing", f"None if {spread} else up"
    if two:
        yield "swapped", re.sub(r"\b[xy]\b", lambda found: {"x": "y", "y": "x"}[found[0]], right)
    yield "transposed", f"np.transpose({right})"
    for relation, old, new in _OTHER_NAMES if named else ():
        if re.search(rf"\b{old}\b", _OF_SHAPES.sub("", right)):
            yield relation, re.sub(rf"\b{old}\b", new, right)


def _close(one: Any, other: Any) -> bool:
    if other is None or isinstance(one, Raised) or isinstance(other, Raised):
        return False
    return np.shape(one) == np.shape(other) and bool(np.allclose(one, other, rtol=1e-9))


def _ratio(v: Any, right: Any) -> Any:
    """Return a contribution over the right one, to whose shape adding it would stretch it; None if it cannot be."""
    try:
        return np.asarray(np.broadcast_to(v, np.shape(right)) / right)
    except ValueError:
        return None


def is_wrong_if_square(operation: ArrayOperation, place: int, reading: ArrayRule) -> bool:
    """Return True if a formula is computed of square matrices, and is wrong there."""
    found = []
    for index, trial in enumerate(trials_of(operation)):
        if all(each.ndim == 2 and {*each.shape} == {*trial.leaves[0].shape[:1]} for each in trial.leaves):
            right = value_of(operation, place, operation.rules[place], NONE, index)
            v = value_of(operation, place, reading.core, reading.reduction, index)
            found.append(not isinstance(v, Raised) and not _close(v, right))
    return bool(found) and all(found)


def example_of(operation: ArrayOperation, place: int, reading: ArrayRule) -> dict[str, str]:
    """Return shapes with which a wrong one shows: all, the input's, the one that `had`, and numpy's error."""
    right = right_of(operation, place)
    for index, trial in enumerate(trials_of(operation)):
        shape = trial.leaves[place].shape
        wanted = value_of(operation, place, right.core, right.reduction, index)
        v = value_of(operation, place, reading.core, reading.reduction, index)
        after = grad_after(reading.write, np.zeros(shape), v)
        shown = {"shapes": shapes_in(operation, trial), "shape": str(shape)}
        if isinstance(after, Raised):
            return shown | {"had": "" if isinstance(v, Raised) else str(np.shape(v)), "error": after.type}
        if after is not None and np.shape(after) != shape and np.shape(wanted) == shape:
            return shown | {"had": str(np.shape(after))}
    return {}


def shapes_in(operation: ArrayOperation, trial: ArrayTrial) -> str:
    """Return an operation with shapes in place of its arrays."""
    shapes = [str(each.shape) for each in trial.leaves]
    return operation.call.format(*shapes) if operation.is_binary else f"shape {shapes[0]}"


# --- A reading as a statement


def statement(operation: ArrayOperation, place: int, reading: ArrayRule) -> str:
    """Return a statement that does what a reading says, where one line says it."""
    own, partner = SIDES[place], SIDES[1 - place]
    shown, grad = shown_formula(operation, place, reading.core), f"{own}.grad"
    minus = "-" if "-" in reading.write else ""
    begin = f"{grad} = np.zeros_like({own}.data); " if reading.write == "=" else ""
    if re.match(r"(put|added)\(", shown):
        call: Any = ast.parse(shown, mode="eval").body
        rows, values = map(ast.unparse, call.args[1:])
        if shown.startswith("put("):
            return f"{begin}{grad}[{rows}] {minus or '+'}= {values}"
        return f"{begin}np.add.at({grad}, {rows}, {minus}{values})"
    shape = f"{own}.data.shape"
    if reading.core in SUMMED_FIRST and reading.reduction == RIGHT:  # it is summed twice
        shown = f"unbroadcast({shown}, {shape})"
    whole = shown if shown.isidentifier() or shown == "out.grad" else f"({shown})"
    written = WRITTEN.get(reading.reduction.removesuffix(" where stretched"), "{v}")
    shown = written.format(v=shown, whole=whole, shape=shape, partner=partner)
    if reading.write in {"= +", "= -"}:
        return f"{grad} = {grad} {reading.write[-1]} {shown}"
    return f"{grad} {reading.write} {shown}"


def shown_formula(operation: ArrayOperation, place: int, formula: str) -> str:
    """Return a formula with `self.data` for `x`, and so on."""
    own, partner = SIDES[place], SIDES[1 - place]
    if "left_of" in formula or "right_of" in formula:  # a product with a vector: it depends on the axes
        return "..."
    axis = operation.keywords.get("axis")
    if operation.keywords.get("keepdims") or axis is None:
        formula = formula.replace("along(", "(")
    names = {"x": f"{own}.data", "y": f"{partner}.data", "out": "out.data", "up": "out.grad"}
    names |= {"p": f"softmax({own}.data)", "hot": "one_hot(targets)", "summed": "unbroadcast"}
    values = operation.names(np.zeros((1, 1)), ())
    names |= {"along": "np.expand_dims"} | {
        name: repr(values[name]) for name in ("n", "rows") if name in values
    }
    added = {"summed": f"{own}.data.shape", "along": str(axis)}
    tree = ast.parse(formula, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in added:
            node.args.append(ast.Name(added[node.func.id]))
    return ast.unparse(tree)
