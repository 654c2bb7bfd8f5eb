"""Questions about the result after one of their lines is changed."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from grader.autograd.questions.graphs import OPERATORS
from grader.autograd.questions.runs import entries_of, is_of
from grader.topic.questions import differ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from grader.autograd.questions.graphs import GraphPlan, Made
    from grader.autograd.questions.runs import Call, GraphRun
    from grader.topic.questions import Asking, Question, SourceEdit, Statement

TRIED, MOST = 12, 5  # edits that are tried, and questions
FEW = 4  # edits of which none may change a number
# What the result of an operation moves by with each of its inputs.
SLOPES: dict[str, Callable[[float, float], tuple[float, float]]] = {
    "+": lambda _x, _y: (1, 1),
    "-": lambda _x, _y: (1, -1),
    "*": lambda x, y: (y, x),
}
LAST = {"other sign", "compares"}  # the kinds that say least about going back


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for a number that an edit changes: a gradient of a leaf, or else the root's value."""
    if asking.scene.run is None:
        return
    edits, found = _edits(asking), 0
    for pair in edits:
        for one in _question(asking, *pair):
            found += 1
            yield one
        if found == MOST:
            return
    if len(edits) >= FEW and not found:
        asking.work.doubts.append(
            f"{len(edits)} changes of single lines were tried: with each the numbers stayed as they were, or the file failed."
        )


def _question(asking: Asking, statement: Statement, edit: SourceEdit) -> Iterator[Question]:
    """Yield the question about an edit, if it changes a number and the code still goes back."""
    run, sources = asking.scene.run, asking.work.edited(statement, edit)
    chance = (
        asking.rng.random()
    )  # always one, so that a run that differs leaves the questions about later edits alone
    other = asking.scene.runs.run(asking.scene.plan, sources) if sources else None
    if other is not None and other.way == run.way:
        grads, values = _changed(asking, run, other)
        if changes := grads or values:
            expression, was, number = changes[int(chance * len(changes))]
            also = _unexplained(asking, statement, edit, run, other)
            yield asking.change(statement, edit, expression, was, number, final=bool(grads), also=also)


def _edits(asking: Asking) -> list[tuple[Statement, SourceEdit]]:
    """Return some edits at random, those of the graph's operations and of the walk before others."""
    pairs = [(statement, edit) for statement in asking.statements for edit in statement.edits]
    walk = {asking.scene.runs.engine.backward, "build_topo"}

    def rank(pair: tuple[Statement, SourceEdit]) -> tuple[bool, bool]:
        statement, edit = pair
        used = any(is_of(statement, step.op) for step in asking.scene.plan.steps)
        return not used and not walk & {*statement.function.split(".")}, edit.kind in LAST

    return sorted(asking.sample(pairs, len(pairs)), key=rank)[:TRIED]


def _unexplained(
    asking: Asking, statement: Statement, edit: SourceEdit, run: GraphRun, other: GraphRun
) -> tuple[str, ...]:
    """Return the operations whose numbers an edit in one line of one operation does not explain.

    A line that is left out may cost its own operation a contribution. Code that looks for edits does more.
    """
    plan, closure = asking.scene.plan, asking.scene.closure
    loses = edit.kind == "left out" and statement.fills
    if loses and run.calls and not other.calls:  # a line less makes no node more
        return tuple(sorted({step.op for step in plan.steps}))
    new = _odd(plan, other, statement if loses else None) - _odd(plan, run)
    if not any(
        is_of(statement, step.op) for step in plan.steps
    ):  # a rule of one operation, or help for several
        return tuple(sorted(new)) if statement.function.endswith(f".{closure}") and len(new) > 1 else ()
    return tuple(sorted(op for op in new if loses or not is_of(statement, op)))


def _odd(plan: GraphPlan, run: GraphRun, without: Statement | None = None) -> set[str]:
    """Return the operations that compute or hand on other numbers than right ones; `without` may lack contributions."""
    steps = {step.name: step for step in plan.steps if step.op in SLOPES}
    calls = [(steps[call.node], call) for call in run.calls or () if call.node in steps]
    return {
        step.op
        for step, call in calls
        if _is_odd(step, call, run.data, lacks=without is not None and is_of(without, step.op))
    }


def _is_odd(step: Made, call: Call, data: Mapping[str, Any], *, lacks: bool) -> bool:
    """Return True if the result is not right, or the call hands on something else; if it `lacks` some, less is right."""
    known: list[Any] = [call.before.get(step.name), *(data.get(name) for name in (step.name, *step.inputs))]
    if not all(isinstance(number, float) for number in known):
        return False
    upstream, result, *inputs = known
    if differ(result, OPERATORS[step.op](*inputs)):
        return True
    for name in {*step.inputs}:
        slopes = zip(step.inputs, SLOPES[step.op](*inputs), strict=True)
        shares = [upstream * slope for each, slope in slopes if each == name]
        parts = itertools.product(*((0.0, share) if lacks else (share,) for share in shares))
        change = (call.after.get(name) or 0.0) - (call.before.get(name) or 0.0)
        if all(differ(change, sum(part)) for part in parts):
            return True
    return False


_Changes = list[tuple[str, float, float]]


def _changed(asking: Asking, run: GraphRun, other: GraphRun) -> tuple[_Changes, _Changes]:
    """Return what an edit changes of the leaves' gradients, and of the root: expression, number without it and with it."""
    root = asking.scene.plan.root
    grads = [
        one
        for name in asking.scene.plan.leaves
        for one in _differing(f"{name}.{asking.scene.grad}", run.grads.get(name), other.grads.get(name))
    ]
    return grads, [*_differing(f"{root}.{asking.scene.data}", run.data.get(root), other.data.get(root))]


def _differing(name: str, was: Any, now: Any) -> Iterator[tuple[str, float, float]]:
    for (expression, x), (same, y) in zip(entries_of(name, was), entries_of(name, now), strict=False):
        if expression == same and differ(x, y):
            yield expression, x, y
