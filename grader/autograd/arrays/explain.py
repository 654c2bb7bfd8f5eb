"""Facts about wrong rules of arrays, each with its check, the names of a test, and its lines of code."""

from __future__ import annotations

import ast
import contextlib
import functools
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from grader.autograd.arrays.formulas import SUMMED_FIRST, regroupings
from grader.autograd.arrays.operations import ArrayOperation, ArrayTrial, trials_of
from grader.autograd.arrays.probe import WrongArrayOperation, request, wrong_rules
from grader.autograd.arrays.reductions import NONE, RIGHT, WRITTEN
from grader.autograd.arrays.search import ArrayRule, NumpyError, Read, grad_after, right_of, value_of
from grader.autograd.engine import functions_of
from grader.autograd.facts import FORWARD, ArrayFact
from grader.autograd.lines import (
    OperationLines,
    Rerun,
    is_used,
    names_in,
    place_facts,
    read_lines,
    usable,
    with_lines,
    written_by,
)
from grader.sandbox import Frame, Sandbox, StudentError, SubmissionStopped, Undefined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.report import Fact, Location
    from grader.topic import Failing

TRIALS = 6  # in which the jail looks for lines
_SIDES = ("self", "other")
_OF_SHAPES = re.compile(
    r"np\.(ones_like|size)\(\w+\)|\b\w+\.(size|shape)\b|\blen\(\w+\)"
)  # these read no value
# Relations that mean another name in the right rule.
_OTHER_NAMES = (
    ("output_for_input", "x", "out"),
    ("output_for_input", "y", "out"),
    ("input_for_output", "out", "x"),
    ("upstream_for_value", "x", "up"),
    ("upstream_for_value", "out", "up"),
    ("value_for_upstream", "up", "out"),
    ("value_for_upstream", "up", "x"),
)


@np.errstate(all="ignore")
def explain_arrays(
    failing: Sequence[Failing],
    sandbox: Sandbox,
    operations: Sequence[str],
    locate: Callable[[Frame | None], Location | None],
) -> dict[str, list[Fact]]:
    """Return the facts for each failed check about the operations that it used.

    `operations` are the names of the assignment's operations. If no failing test used the engine, the jail gets no request.
    Raises OutOfTime.
    """
    wanted = [name for name in operations if is_used(failing, name)]
    try:
        wrong = wrong_rules(sandbox, wanted, operations) if wanted else []
        written = _placed_lines(wrong, sandbox)
        begins = [f"{each.found.begins[0]}.__init__" for each in wrong if each.found.begins]
        inits = sandbox.find_definitions(begins) if begins else []
    # The last three are for a reply of another format.
    except (StudentError, SubmissionStopped, Undefined, KeyError, TypeError, ValueError):
        return {}

    def told_at(home: Failing, each: WrongArrayOperation, lines: OperationLines) -> Iterator[Fact]:
        found, results = each.found, home.results
        names = usable(names_in(results, found.operation.name), two=found.operation.is_binary)
        is_lost = found.lost is not None and not found.readings
        in_method = not each.rule or found.out or is_lost or "forward_changes_data" in found.memory.values()
        place = locate(inits[0] if found.begins else lines.method if in_method else lines.rule)
        # If the test's error already shows shapes, an example with other shapes would only repeat it.
        error = results[0].error
        is_shown = isinstance(error, StudentError) and re.search("shape|broadcast|dimension", error.text)
        # The input of the first visible failure comes first.
        failures = [each.failure for each in results if each.test.visibility == "visible" and each.failure]
        label = failures[0].readings[0].label if failures and failures[0].readings else ""
        first = next((name for name in names if label.startswith(f"{name}.")), "")
        told = [
            fact
            if not is_shown or fact.factor or "first_grad" in fact.relations
            else replace(fact, shapes="", shape="", had="", error="")
            for fact in facts_of(found, names, beside=each.beside)
        ]
        for fact in sorted(told, key=lambda fact: fact.names.get("input") != first):
            yield with_lines(fact.fact(place), lines.frames(written_by(fact)), locate)

    return place_facts(
        failing,
        [
            (each.found.operation.name, each.spoils, functools.partial(told_at, each=each, lines=lines))
            for each, lines in zip(wrong, written, strict=True)
        ],
    )


def _placed_lines(wrong: Sequence[WrongArrayOperation], sandbox: Sandbox) -> list[OperationLines]:
    """Return, for each wrong operation, the frames of its rule and its method, and the lines that wrote its numbers."""
    operations = [each.found.operation for each in wrong]
    asks = [request(operation, trials_of(operation)[:TRIALS]) for operation in operations]
    asked = [Rerun(ask, "closure", each.rule, each.method) for ask, each in zip(asks, wrong, strict=True)]
    return read_lines(sandbox, asked, functions_of(sandbox, [each.name for each in operations]))


# --- Facts


def facts_of(found: Read, names: Sequence[str], *, beside: bool = False) -> Iterator[ArrayFact]:
    """Yield the facts about an operation whose operands have these names; with `beside` its call is a function's."""
    operation = found.operation
    call = (operation.as_function if beside else operation.call).format(*names)
    named: dict[str, Any] = {
        "call": call,
        "left": names[0],
        "right": names[1] if operation.is_binary else "",
    }
    of: Callable[..., ArrayFact] = functools.partial(ArrayFact, operation.name, **named)
    if found.out:
        yield of(FORWARD, f"out.data = {_formula_text(operation, 0, found.out)}")
    if found.lost is not None:
        yield of(_SIDES[found.lost], relations=("input_not_kept",))
    if found.begins:
        node, shape, had = found.begins
        yield replace(
            of("self", relations=("first_grad",), shape=shape, had=had), operation=f"{node}.__init__"
        )
    yield from (of(_SIDES[place], relations=(note,)) for place, note in found.memory.items())
    for place, reading in found.readings.items():
        if not reading.write:
            yield of(_SIDES[place], symptom=True)
            continue
        has_sum = not operation.broadcasts or reading.core in SUMMED_FIRST
        yield of(
            _SIDES[place],
            _statement(operation, place, reading),
            reduction="" if reading.reduction in {RIGHT, NONE if has_sum else ""} else reading.reduction,
            **_beside_right(operation, place, reading),
        )


# --- A reading compared with the right rule


def _beside_right(operation: ArrayOperation, place: int, reading: ArrayRule) -> dict[str, Any]:
    """Return the differences between a reading and the right rule, except its reduction, as fields of a fact."""
    core, fields = reading.core, dict[str, Any]()
    found = ["rows_once"] if core.startswith("put(") else ["summed_first"] * (core in SUMMED_FIRST)
    if not found and core != _right_beside(operation, place, core):
        found, fields = _relation(operation, place, core)
    if reading.write == "=":
        found.append("assigned")
    elif reading.write in {"-=", "= -"}:
        found = [each for each in found if each != "sign"] if "sign" in found else [*found, "sign"]
    return {"relations": tuple(found), **(fields or _example_of(operation, place, reading))}


def _right_beside(operation: ArrayOperation, place: int, core: str) -> str:
    """Return the right rule to compare a formula with: at 0, relu's slope may be 1, or 0 as in PyTorch."""
    return operation.rules[place].replace(">", ">=") if ">=" in core else operation.rules[place]


def _relation(operation: ArrayOperation, place: int, core: str) -> tuple[list[str], dict[str, str]]:
    """Return the relation of a wrong formula to the right one at all trials, with a factor and shapes for an example."""
    right = _right_beside(operation, place, core)
    trials = trials_of(operation)

    def values(formula: str) -> list[Any]:
        return [value_of(operation, place, formula, NONE, i) for i in range(len(trials))]

    got = values(core)
    raises = any(isinstance(v, NumpyError) for v in got)
    for relation, formula in _relations(right, two=operation.is_binary, named=not raises):
        pairs = [
            pair for pair in zip(got, values(formula), strict=True) if not isinstance(pair[0], NumpyError)
        ]
        if pairs and all(_close(*pair) for pair in pairs):
            return [relation], {}
    if any(core in regroupings(each) for each in (right, *operation.spellings.get(place, ()))):
        return ["parentheses"], {}
    # A contribution may have another shape than the right one, or be none.
    with contextlib.suppress(ValueError, TypeError):
        compared = zip(got, values(right), strict=True)
        ratios = [np.asarray(np.broadcast_to(v, np.shape(one)) / one) for v, one in compared if "up" in core]
        if all(np.ptp(each) < 1e-9 * abs(each.flat[0]) for each in ratios):
            for ratio, trial in zip(ratios, trials, strict=False):  # the factor depends on the shape
                if abs(ratio.flat[0] - 1) > 1e-3:
                    factor = f"{ratio.flat[0]:.4g}"
                    return ["scaled"], {"factor": factor, "shapes": _shapes_in(operation, trial)}
    return [], {}


def _relations(right: str, *, two: bool, named: bool) -> list[tuple[str, str]]:
    """Return formulas with a relation to the right one; with `named`, also those that have another name in it."""
    ones = re.sub(r"\bup\b", "np.ones_like(up)", right)
    # Where the local derivative is 1, only the place may be another.
    spread = f"np.shape({ones}) != np.shape(up) and np.array_equal({ones}, np.round({ones}))"
    swapped = re.sub(r"\b[xy]\b", lambda found: {"x": "y", "y": "x"}[found[0]], right)
    bare = _OF_SHAPES.sub("", right)
    return [
        ("sign", f"-({right})"),
        ("doubled", f"2 * ({right})"),
        ("halved", f"({right}) / 2"),
        ("upstream_missing", ones),
        ("upstream_squared", f"({right}) * up if np.shape({right}) == np.shape(up) else None"),
        ("local_missing", f"None if {spread} else up"),
        *([("swapped", swapped)] if two else []),
        ("transposed", f"np.transpose({right})"),
        *(
            (relation, re.sub(rf"\b{old}\b", new, right))
            for relation, old, new in _OTHER_NAMES
            if named and re.search(rf"\b{old}\b", bare)
        ),
    ]


def _close(one: Any, other: Any) -> bool:
    if other is None or isinstance(one, NumpyError) or isinstance(other, NumpyError):
        return False
    return np.shape(one) == np.shape(other) and bool(np.allclose(one, other, rtol=1e-9))


def _is_wrong_if_square(operation: ArrayOperation, place: int, reading: ArrayRule) -> bool:
    """Return True if numpy computes a formula of square matrices, and the result is wrong."""
    square = [
        index
        for index, trial in enumerate(trials_of(operation))
        if all(each.ndim == 2 and {*each.shape} == {*trial.leaves[0].shape[:1]} for each in trial.leaves)
    ]
    right = [value_of(operation, place, operation.rules[place], NONE, index) for index in square]
    found = [value_of(operation, place, reading.core, reading.reduction, index) for index in square]
    pairs = [*zip(found, right, strict=True)]
    return bool(pairs) and all(not isinstance(v, NumpyError) and not _close(v, one) for v, one in pairs)


def _example_of(operation: ArrayOperation, place: int, reading: ArrayRule) -> dict[str, Any]:
    """Return an example with a wrong shape: all shapes, the input's, the contribution's (`had`), and numpy's error."""
    right = right_of(operation, place)
    for index, trial in enumerate(trials_of(operation)):
        shape = trial.leaves[place].shape
        wanted = value_of(operation, place, right.core, right.reduction, index)
        v = value_of(operation, place, reading.core, reading.reduction, index)
        after = grad_after(reading.write, np.zeros(shape), v)
        shown = {"shapes": _shapes_in(operation, trial), "shape": str(shape)}
        if isinstance(after, NumpyError):
            had = "" if isinstance(v, NumpyError) else str(np.shape(v))
            square = not had and _is_wrong_if_square(operation, place, reading)
            return {**shown, "had": had, "error": after.type, "square": square}
        if after is not None and np.shape(after) != shape and np.shape(wanted) == shape:
            return {**shown, "had": str(np.shape(after))}
    return {}


def _shapes_in(operation: ArrayOperation, trial: ArrayTrial) -> str:
    """Return an operation with shapes instead of its arrays."""
    shapes = [str(each.shape) for each in trial.leaves]
    return f"shapes {operation.call.format(*shapes)}" if operation.is_binary else f"shape {shapes[0]}"


# --- A reading as a statement


def _statement(operation: ArrayOperation, place: int, reading: ArrayRule) -> str:
    """Return a reading as a statement of Python."""
    own, partner = _SIDES[place], _SIDES[1 - place]
    shown, grad = _formula_text(operation, place, reading.core), f"{own}.grad"
    minus = "-" if "-" in reading.write else ""
    begin = f"{grad} = np.zeros_like({own}.data); " if reading.write == "=" else ""
    if re.match(r"(put|added)\(", shown):
        call: Any = ast.parse(shown, mode="eval").body
        rows, values = map(ast.unparse, call.args[1:])
        once, added = (
            f"{grad}[{rows}] {minus or '+'}= {values}",
            f"np.add.at({grad}, {rows}, {minus}{values})",
        )
        return begin + (once if shown.startswith("put(") else added)
    shape = f"{own}.data.shape"
    if reading.core in SUMMED_FIRST and reading.reduction == RIGHT:  # it is summed twice
        shown = f"unbroadcast({shown}, {shape})"
    whole = shown if shown.isidentifier() or shown == "out.grad" else f"({shown})"
    written = WRITTEN.get(reading.reduction.removesuffix(" where stretched"), "{v}")
    shown = written.format(v=shown, whole=whole, shape=shape, partner=partner)
    if reading.write in {"= +", "= -"}:
        return f"{grad} = {grad} {reading.write[-1]} {shown}"
    return f"{grad} {reading.write} {shown}"


def _formula_text(operation: ArrayOperation, place: int, formula: str) -> str:
    """Return a formula with `self.data` for `x`, and so on."""
    own, partner = _SIDES[place], _SIDES[1 - place]
    if "left_of" in formula or "right_of" in formula:  # a product with a vector: it depends on the axes
        return "..."
    axis, values = operation.keywords.get("axis"), operation.names(np.zeros((1, 1)), ())
    if operation.keywords.get("keepdims") or axis is None:
        formula = formula.replace("along(", "(")
    names = {
        "x": f"{own}.data",
        "y": f"{partner}.data",
        "out": "out.data",
        "up": "out.grad",
        "p": f"softmax({own}.data)",
        "hot": "one_hot(targets)",
        "summed": "unbroadcast",
        **{name: repr(values[name]) for name in {"n", "rows"} & {*values}},
        "along": "np.expand_dims",
    }
    added = {"summed": f"{own}.data.shape", "along": str(axis)}
    tree = ast.parse(formula, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in added:
            node.args.append(ast.Name(added[node.func.id]))
    return ast.unparse(tree)
