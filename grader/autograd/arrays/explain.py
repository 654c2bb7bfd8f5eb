"""Facts about wrong rules of arrays: at which check, in which names, with which line of code."""

from __future__ import annotations

import ast
import functools
import itertools
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from msgspec.structs import replace

from grader.autograd import inside
from grader.autograd.arrays.formulas import SUMMED_FIRST, regrouped
from grader.autograd.arrays.operations import evaluated, known, trials_of
from grader.autograd.arrays.reductions import NONE, PARTNERS, RIGHT
from grader.autograd.arrays.search import (
    ArrayRule,
    Raised,
    Read,
    TrialAnswer,
    grad_after,
    is_right_in,
    lost_operands,
    other_first,
    read_operation,
    right_of,
    value_of,
)
from grader.autograd.engine import engine_of
from grader.autograd.facts import FORWARD, ArrayFact
from grader.autograd.lines import Rerun, Written, read_lines, with_lines, written_by
from grader.autograd.placing import WrongAt, is_used, names_in, place_facts, usable
from grader.sandbox import Frame, Proxy, StudentError, SubmissionStopped, Undefined
from grader.sandbox.proxy import handle_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from grader.autograd.arrays.operations import ArrayOperation, ArrayTrial
    from grader.report import Fact, Location
    from grader.sandbox import Sandbox
    from grader.topic import Failing, TestResult

SECONDS = 1.0  # seconds for all operations; the rest of the time is for other explanations
TRIALS = 6  # in which the jail looks for lines
_SIDES = ("self", "other")
_OTHER_SHAPES = {PARTNERS: "{partner}.data.shape", "turned": "{own}.data.shape[::-1]"}


class WrongArrayOperation(NamedTuple):
    """One operation with what is wrong about it, and the student's functions that define it.

    `beside` is True for a function that stands beside the class. `spoils` are the operations whose results are made by this
    one: what is wrong with them may be this alone.
    """

    found: Read
    rule: Proxy | None
    method: Proxy | None
    beside: bool = False
    spoils: frozenset[str] = frozenset()


def explain_arrays(
    failing: Sequence[Failing],
    sandbox: Sandbox,
    operations: Sequence[str],
    locate: Callable[[Frame | None], Location | None],
) -> dict[str, list[Fact]]:
    """Return the facts for each failed check about the operations that it used.

    `operations` are the names of those that the assignment has. If no failing test used the engine, the jail is not asked. Raises OutOfTime.
    """
    wanted = [name for name in operations if is_used(failing, name)]
    try:
        with np.errstate(all="ignore"):
            wrong = wrong_rules(sandbox, wanted, operations) if wanted else []
        written = placed_lines(wrong, sandbox)
        first_grad = _first_grad(sandbox) if any(each.found.begins for each in wrong) else None
    except (StudentError, SubmissionStopped, Undefined):
        return {}
    except (KeyError, TypeError, ValueError):  # an answer of another format
        return {}

    def told_at(home: Failing, each: WrongArrayOperation, lines: Written) -> list[Fact]:
        operation = each.found.operation
        names = usable(names_in(home.results, operation.name), two=operation.is_binary)
        of_method = each.found.out or each.found.entries or (each.found.lost and not each.found.readings)
        of_method = of_method or "forward_changes_data" in each.found.memory.values()
        begin = (
            first_grad if each.found.begins else lines.rule if each.rule and not of_method else lines.method
        )
        first = _first_wrong(home.results, names)
        with np.errstate(all="ignore"):
            read_back = [*facts_of(each.found, names, beside=each.beside)]
        told = sorted(read_back, key=lambda fact: fact.names.get("input") != first)
        if _shows_shapes(home.results[0].error):
            told = [*map(_without_example, told)]
        place = locate(begin)
        return [with_lines(fact.fact(place), lines.frames(written_by(fact)), locate) for fact in told]

    placed = [
        WrongAt(each.found.operation.name, each.spoils, functools.partial(told_at, each=each, lines=lines))
        for each, lines in zip(wrong, written, strict=True)
    ]
    return place_facts(failing, placed)


def placed_lines(wrong: Sequence[WrongArrayOperation], sandbox: Sandbox) -> list[Written]:
    """Return the frames of the rule and of the method of each wrong operation, and the lines that wrote its numbers."""
    names = {
        name: function
        for each in wrong
        if (name := each.found.operation.name).isidentifier() and (function := _function(sandbox, name))
    }
    asked = [Rerun((), each.rule, each.method) for each in wrong]
    return read_lines(sandbox, asked, (names, [_request(each.found.operation, TRIALS) for each in wrong]))


def _first_grad(sandbox: Sandbox) -> Frame | None:
    """Return the line of `__init__` that sets the gradient of a new node; without one that of its `def`."""
    engine = engine_of(sandbox)
    (init,) = sandbox.defined([f"{engine.node}.__init__"])
    if init is None:
        return None
    below = sandbox.text_of(init.block).split("\n")[init.line :]
    body = itertools.takewhile(lambda line: not re.match(r"\s*(?:async\s+)?(?:def|class)\b", line), below)
    sets = re.compile(rf"\s*self\.{engine.grad}\s*(?::[^=]*)?=(?!=)")
    at = [i for i, line in enumerate(body, start=init.line + 1) if sets.match(line)]
    return Frame(init.block, at[0], init.function) if len(at) == 1 else init


def _without_example(fact: ArrayFact) -> ArrayFact:
    is_needed = fact.factor or fact.entries or "first_grad" in fact.relations
    return fact if is_needed else replace(fact, shapes="", shape="", had="", error="")


def _shows_shapes(error: BaseException | None) -> bool:
    """Return True if the error names shapes, those of the test: others beside them would say the same once more."""
    return isinstance(error, StudentError) and bool(re.search("shape|broadcast|dimension", error.text))


def _first_wrong(results: Sequence[TestResult], names: Sequence[str]) -> str:
    """Return the input about which the first visible test failed, such as `b` of `b.grad.shape`; "" if it is none."""
    failures = [
        result.failure for result in results if result.test.visibility == "visible" and result.failure
    ]
    labels = [failures[0].readings[0].label] if failures and failures[0].readings else []
    return next((name for label in labels for name in names if label.startswith(f"{name}.")), "")


# --- The jail's answer


def wrong_rules(
    sandbox: Sandbox, wanted: Sequence[str], others: Sequence[str] = ()
) -> list[WrongArrayOperation]:
    """Load the submission afresh and try operations; return the wrong ones, of several ways to apply one the first.

    The first of the `others` shows where results hold what they were made from. All are tried if one of the `wanted` is
    made of several operations and wrong: it is read only where each of these is known to be right, and these are told.
    Raises StudentError, SubmissionStopped, Undefined.
    """
    sandbox.load()
    engine = engine_of(sandbox)
    make = sandbox.get(engine.node)
    names = {
        name: function for name in wanted if name.isidentifier() and (function := _function(sandbox, name))
    }
    found, answers = dict[str, Read](), dict[str, list[TrialAnswer]]()
    places = dict[str, tuple[Proxy | None, Proxy | None]]()
    parts, right = dict[str, set[str]](), set[str]()
    first, *rest = [each for each in others if each not in wanted] or [""]

    def ask(requests: Sequence[Any]) -> Any:
        args = [sandbox.encode(each) for each in (make, names, requests, SECONDS / 2)]
        return sandbox.ask("call", "probe", h=handle_of(probe).id, args=args, kw={})

    def try_out(name: str) -> None:
        operations = [each for each in known() if each.name == name]
        answer = ask([*map(_request, operations)])
        right.add(name)
        for operation, one in zip(operations, answer, strict=False):
            rows = [*map(checked, one["rows"])]
            answers.setdefault(name, rows)
            parts.setdefault(name, set()).update(part for row in rows for part in row.parts)
            rule, method = (one[key] if isinstance(one[key], Proxy) else None for key in ("rule", "method"))
            places.setdefault(name, (rule, method))
            wrong = read_operation(operation, rows)
            if rows[0].stage != "absent" and not is_right_in(operation, rows):
                right.discard(name)
                if begins := other_first(operation, rows):
                    again = ask([_request(operation, zeros=True)])[:1]  # none if the time ran out
                    is_cause = any(is_right_in(operation, [*map(checked, each["rows"])]) for each in again)
                    wrong = Read(operation, {}, begins=(engine.node, *begins)) if is_cause else wrong
            if wrong:
                found[name], places[name] = wrong, (rule, method)
                break

    with sandbox.budget.within("probe", SECONDS):
        probe = sandbox.helper(inside.compiled("arrays", renames=engine.renames), "probe")
        for name in (*wanted, first):
            try_out(name)
        made = {name for name in wanted if len(parts.get(name, ())) > 1 and name not in right}
        for name in rest if made else ():
            try_out(name)
    sound = set[str]().union(*(parts.get(name, ()) for name in right if len(parts.get(name, ())) == 1))
    made = {name for name in made if not parts[name] <= sound}
    spoils = {
        name: frozenset(
            each for each in made - {name} if len(parts[name]) == 1 and parts[name] <= parts[each]
        )
        for name in found
    }
    found = {
        name: wrong
        for name, wrong in found.items()
        if (name not in made and (name in wanted or spoils[name]))
        or "forward_changes_data" in wrong.memory.values()  # no part is to blame for it
    }
    if all(row.is_idle for rows in answers.values() for row in rows):
        # A class whose leaves never get a gradient wants to be told that they need one.
        found = {name: wrong for name, wrong in found.items() if wrong.out or wrong.entries}
    for name, lost in lost_operands(answers).items():
        if name in wanted:
            operation = next(each for each in known() if each.name == name)
            found[name] = found.get(name, Read(operation, {}))._replace(lost=lost)
    beside = {name for name, function in names.items() if name in places and _is(places[name][1], function)}
    return [
        WrongArrayOperation(wrong, *places[name], name in beside, spoils.get(name, frozenset()))
        for name, wrong in found.items()
    ]


def _is(one: Proxy | None, other: Proxy) -> bool:
    return one is not None and handle_of(one).id == handle_of(other).id


def _function(sandbox: Sandbox, name: str) -> Proxy | None:
    try:
        found = sandbox.get(name)
    except Undefined:
        return None
    return found if isinstance(found, Proxy) else None


def _request(operation: ArrayOperation, most: int | None = None, *, zeros: bool = False) -> dict[str, Any]:
    """Return the request for trials; with `zeros` new leaves get gradients of the shape of their data."""
    trials = [
        {
            "leaves": [*trial.leaves],
            "priors": [*(trial.priors or (map(np.zeros_like, trial.leaves) if zeros else ()))],
            "args": [*trial.args],
            "upstream": np.asarray(trial.upstream),
        }
        for trial in trials_of(operation)[:most]
    ]
    return {"name": operation.name, "keywords": dict(operation.keywords), "trials": trials}


def checked(row: dict[str, Any]) -> TrialAnswer:
    """Return what the jail says of one trial. Raises KeyError, TypeError, ValueError for another format."""
    firsts, grads, twice, raw = ([*map(_array, row[key])] for key in ("firsts", "grads", "twice", "raw"))
    error = Raised(str(row["error"][0]), str(row["error"][1])) if row["error"] else None
    out = None if row["out"] is None else _array(row["out"])
    notes = [*map(str, row["notes"])]
    holds = {str(name): [bool(each) for each in held] for name, held in row["holds"].items()}
    parts = [*map(str, row["parts"])]
    return TrialAnswer(
        str(row["stage"]), error, out, str(row["dtype"]), firsts, grads, twice, notes, holds, raw, parts
    )


def _array(value: Any) -> Any:
    """Return an array or a number without the expression that gave it; None for None, and a text for anything else."""
    if value is None or isinstance(value, float | str):
        return value
    return np.array(value, dtype=float)


# --- Facts


def facts_of(found: Read, names: Sequence[str], *, beside: bool = False) -> Iterator[ArrayFact]:
    """Yield the facts about an operation whose operands have these names; `beside` writes its call as a function's."""
    operation = found.operation
    called = (
        operation.name,
        (operation.as_function if beside else operation.call).format(*names),
        names[0],
        names[1] if operation.is_binary else "",
    )
    name, call, left, right = called
    if found.out:
        yield ArrayFact(name, FORWARD, f"out.data = {_shown(operation, 0, found.out)}", call, left, right)
    if found.entries:
        *given, out = (f"{each:.5g}" for each in found.entries)
        yield ArrayFact(name, FORWARD, "", call, left, right, entries=tuple(given), had=out)
    if found.lost:
        place, holder = found.lost
        yield ArrayFact(
            name, _SIDES[place], "", call, left, right, relations=("input_not_kept",), holder=holder
        )
    if found.begins:
        node, shape, had = found.begins
        yield ArrayFact(
            f"{node}.__init__", "self", "", call, left, right, relations=("first_grad",), shape=shape, had=had
        )
    for place, note in found.memory.items():
        yield ArrayFact(name, _SIDES[place], "", call, left, right, relations=(note,))
    for place, reading in found.readings.items():
        if not reading.write:
            yield ArrayFact(name, _SIDES[place], "", call, left, right, symptom=True)
            continue
        has_sum = not operation.broadcasts or reading.core in SUMMED_FIRST
        reduction = "" if reading.reduction in {RIGHT, NONE if has_sum else ""} else reading.reduction
        relations, factor, shapes = _relations(operation, place, reading)
        example = (shapes, "", "", "") if factor else _example(operation, place, reading)
        wrote = _statement(operation, place, reading)
        square = bool(example[3]) and not example[2] and _square(operation, place, reading)
        yield ArrayFact(
            name,
            _SIDES[place],
            wrote,
            call,
            left,
            right,
            reduction,
            relations,
            *example,
            factor,
            square=square,
        )


def _relations(operation: ArrayOperation, place: int, reading: ArrayRule) -> tuple[tuple[str, ...], str, str]:
    """Return how a reading differs from the right rule beside its reduction: relations, a factor, shapes to show it with."""
    found, factor, shapes = [], "", ""
    right = operation.rules[place]
    if reading.core.startswith("put("):
        found.append("rows_once")
    elif reading.core in SUMMED_FIRST:
        found.append("summed_first")
    elif reading.core != right:
        relation, factor, shapes = _relation(operation, place, reading.core)
        found += [relation] if relation else []
    if reading.write == "=":
        found.append("assigned")
    elif reading.write in {"-=", "= -"}:
        found = [each for each in found if each != "sign"] if "sign" in found else [*found, "sign"]
    return tuple(found), factor, shapes


def _relation(operation: ArrayOperation, place: int, core: str) -> tuple[str, str, str]:
    """Return what a wrong formula is to the right one at all trials: a relation, or a factor and shapes."""
    pairs, raises = [], False
    for index, trial in enumerate(trials_of(operation)):
        v = value_of(operation, place, core, NONE, index)
        raises = raises or isinstance(v, Raised)
        if not trial.priors and not isinstance(v, Raised):
            pairs.append((trial, v, evaluated(operation, operation.rules[place], trial, place)))
    for relation, of in (
        ("sign", lambda _, right: -right),
        ("doubled", lambda _, right: 2 * right),
        ("halved", lambda _, right: right / 2),
        ("upstream_missing", lambda trial, _: _at_the_root(operation, place, trial)),
        ("upstream_squared", _with_upstream_again),
        ("local_missing", lambda trial, _: _without_slope(operation, place, trial)),
        ("swapped", lambda trial, _: _swapped(operation, place, trial)),
        ("transposed", lambda _, right: np.transpose(right)),
    ):
        if pairs and all(_close(v, of(trial, right)) for trial, v, right in pairs):
            return relation, "", ""
    for relation, old, new in _OTHER_NAMES:
        other = re.sub(rf"\b{old}\b", new, operation.rules[place])
        is_value = re.search(rf"\b{old}\b", _OF_SHAPES.sub("", operation.rules[place]))
        if is_value and _is_everywhere(operation, place, core, other):
            return relation, "", ""
    spellings = (operation.rules[place], *operation.spellings.get(place, ()))
    if any(core in regrouped(each) for each in spellings):
        return "parentheses", "", ""
    pairs = [(trial, _stretched(v, right), right) for trial, v, right in pairs]
    if pairs and not raises and all(np.shape(v) == np.shape(right) for _, v, right in pairs):
        ratios = [np.asarray(v / right) for _, v, right in pairs]
        if all(np.ptp(each) < 1e-9 * abs(each.flat[0]) for each in ratios):  # another number for other shapes
            shown = [(each.flat[0], trial) for each, (trial, _, _) in zip(ratios, pairs, strict=True)]
            for found, trial in shown:
                if abs(found - 1) > 1e-3:
                    return "scaled", f"{found:.4g}", _shapes(operation, trial)
    return "", "", ""


def _stretched(v: Any, right: Any) -> Any:
    """Return a contribution in the shape of the right one, to which adding it would stretch it, if that can be."""
    try:
        return np.broadcast_to(v, np.shape(right))
    except ValueError:
        return v


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


def _is_everywhere(operation: ArrayOperation, place: int, core: str, other: str) -> bool:
    """Return True if two formulas give the same at all trials."""
    places = range(len(trials_of(operation)))
    pairs = [[value_of(operation, place, each, NONE, i) for each in (core, other)] for i in places]
    return all(
        not isinstance(one, Raised) and not isinstance(two, Raised) and _close(one, two) for one, two in pairs
    )


def _with_upstream_again(trial: ArrayTrial, right: Any) -> Any:
    return right * trial.upstream if np.shape(right) == np.shape(trial.upstream) else None


def _close(one: Any, other: Any) -> bool:
    return other is not None and np.shape(one) == np.shape(other) and bool(np.allclose(one, other, rtol=1e-9))


def _at_the_root(operation: ArrayOperation, place: int, trial: ArrayTrial) -> Any:
    trial = trial._replace(upstream=np.ones_like(trial.upstream))
    return evaluated(operation, operation.rules[place], trial, place)


def _without_slope(operation: ArrayOperation, place: int, trial: ArrayTrial) -> Any:
    """Return the upstream gradient; None where the local derivative is 1 and only the place is another."""
    slopes = _at_the_root(operation, place, trial)
    spread = np.shape(slopes) != np.shape(trial.upstream)
    return None if spread and np.array_equal(slopes, np.round(slopes)) else trial.upstream


def _swapped(operation: ArrayOperation, place: int, trial: ArrayTrial) -> Any:
    """Return the right rule with the two inputs in each other's place."""
    if not operation.is_binary:
        return None
    try:
        return evaluated(operation, operation.rules[place], trial._replace(leaves=trial.leaves[::-1]), place)
    except ValueError:
        return None


def _square(operation: ArrayOperation, place: int, reading: ArrayRule) -> bool:
    """Return True if a formula is computed of square matrices, and is wrong there."""
    found = []
    for index, trial in enumerate(trials_of(operation)):
        if all(each.ndim == 2 and {*each.shape} == {*trial.leaves[0].shape[:1]} for each in trial.leaves):
            right = evaluated(operation, operation.rules[place], trial, place)
            v = value_of(operation, place, reading.core, reading.reduction, index)
            found.append(not isinstance(v, Raised) and not _close(v, right))
    return bool(found) and all(found)


def _example(operation: ArrayOperation, place: int, reading: ArrayRule) -> tuple[str, str, str, str]:
    """Return shapes with which a wrong one shows: all, the input's, that of what is written, and numpy's error."""
    right = right_of(operation, place)
    for index, trial in enumerate(trials_of(operation)):
        shape = trial.leaves[place].shape
        wanted = value_of(operation, place, right.core, right.reduction, index)
        v = value_of(operation, place, reading.core, reading.reduction, index)
        if isinstance(v, Raised):
            return _shapes(operation, trial), str(shape), "", v.type
        after = grad_after(reading.write, np.zeros(shape), v)
        if isinstance(after, Raised):
            return _shapes(operation, trial), str(shape), str(np.shape(v)), after.type
        if after is not None and np.shape(after) != shape and np.shape(wanted) == shape:
            return _shapes(operation, trial), str(shape), str(np.shape(after)), ""
    return "", "", "", ""


def _shapes(operation: ArrayOperation, trial: ArrayTrial) -> str:
    shapes = [str(each.shape) for each in trial.leaves]
    return operation.call.format(*shapes) if operation.is_binary else f"shape {shapes[0]}"


# --- A reading as a statement


def _statement(operation: ArrayOperation, place: int, reading: ArrayRule) -> str:
    """Return a statement that does what a reading says, where one line says it."""
    own = _SIDES[place]
    shown = _shown(operation, place, reading.core)
    grad = f"{own}.grad"
    begin = f"{grad} = np.zeros_like({own}.data); " if reading.write == "=" else ""
    if reading.core.startswith("put("):
        rows, values = _parts(operation, place, reading.core)
        return f"{begin}{grad}[{rows}] {'-=' if '-' in reading.write else '+='} {values}"
    if reading.core.startswith("added("):
        rows, values = _parts(operation, place, reading.core)
        return f"{begin}np.add.at({grad}, {rows}, {'-' if '-' in reading.write else ''}{values})"
    if reading.core in SUMMED_FIRST and reading.reduction == RIGHT:  # it is summed twice
        shown = f"unbroadcast({shown}, {own}.data.shape)"
    if reading.reduction in _OTHER_SHAPES:
        shown = f"unbroadcast({shown}, {_OTHER_SHAPES[reading.reduction].format(own=own, partner=_SIDES[1 - place])})"
    name = reading.reduction.removesuffix(" where stretched")
    inner = shown if shown.isidentifier() or shown == "out.grad" else f"({shown})"
    how, _, axis = name.partition(" ")
    if how in {"sum", "mean"}:
        axis, _, kept = axis.partition(" ")
        shown = f"{inner}.{how}(axis={axis}{', keepdims=True' if kept else ''})"
    elif name == "total":
        shown = f"{inner}.sum()"
    elif name == "filled":
        shown = f"np.full({own}.data.shape, {inner}.sum())"
    elif name in {"cut", "reshaped"}:
        shown = f"np.{'resize' if name == 'cut' else 'reshape'}({shown}, {own}.data.shape)"
    if reading.write in {"= +", "= -"}:
        return f"{grad} = {grad} {reading.write[-1]} {shown}"
    return f"{grad} {reading.write} {shown}"


def _parts(operation: ArrayOperation, place: int, core: str) -> tuple[str, str]:
    """Return the rows and the values of a formula that adds to rows."""
    call = ast.parse(core, mode="eval").body
    assert isinstance(call, ast.Call)
    rows, values = (_shown(operation, place, ast.unparse(each)) for each in call.args[1:])
    return rows, values


def _shown(operation: ArrayOperation, place: int, formula: str) -> str:
    """Return a formula with `self.data` for `x`, and so on."""
    own, partner = _SIDES[place], _SIDES[1 - place]
    names = {"x": f"{own}.data", "y": f"{partner}.data", "out": "out.data", "up": "out.grad"}
    if "left_of" in formula or "right_of" in formula:  # a product with a vector: it depends on the axes
        return "..."
    names |= {"p": f"softmax({own}.data)", "hot": "one_hot(targets)"}
    values = operation.names(np.zeros((1, 1)), ())
    names |= {name: repr(values[name]) for name in ("n", "rows") if name in values}
    axis, kept = operation.keywords.get("axis"), operation.keywords.get("keepdims")

    class ShownRule(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return ast.Name(names.get(node.id, node.id))

        def visit_Call(self, node: ast.Call) -> ast.AST:
            if isinstance(node.func, ast.Name) and node.func.id == "summed":
                summed = ast.unparse(self.visit(node.args[0]))
                return ast.parse(f"unbroadcast({summed}, {own}.data.shape)", mode="eval").body
            if isinstance(node.func, ast.Name) and node.func.id == "along":
                inner = self.visit(node.args[0])
                return (
                    inner
                    if kept or axis is None
                    else ast.parse(f"np.expand_dims({ast.unparse(inner)}, {axis})", mode="eval").body
                )
            return self.generic_visit(node)

    return ast.unparse(ShownRule().visit(ast.parse(formula, mode="eval").body))
