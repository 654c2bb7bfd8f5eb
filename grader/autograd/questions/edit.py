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
    from grader.autograd.questions.runs import Call, EngineScene, GraphRun
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


# What to ask who gives the wrong number.
ABOUT = {
    "overwrites": "what `=` in the place of `+=` loses where a node is used twice",
    "left out": "what the line adds, and to which node",
    "unseeded": "why the root's gradient is set before anything else",
    "in order": "why the walk goes from the root to the leaves",
    "no factor": "why a contribution has the gradient of the result as a factor",
    "forgets": "what happens to a node that is listed twice",
    "unsummed": "the shape of a gradient, if the array was stretched",
}


def ask(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for a number that an edit changes: a gradient of a leaf, or else the root's value."""
    edits, found = _edits(asking, scene), 0
    for statement, edit in edits:
        # Always one number: a run that differs leaves the questions about later edits alone.
        chance = asking.rng.random()
        other = scene.edited(statement, edit)
        changes = _changes(scene, run, other) if other and other.way == run.way else []
        if other and changes:
            found += 1
            is_final, expression, was, number = changes[int(chance * len(changes))]
            also = " and ".join(f"`{op}`" for op in _unexplained(scene, statement, edit, run, other))
            about = ABOUT.get(edit.kind, "")
            yield asking.change(
                statement, edit, expression, was, number, final=is_final, also=also, about=about
            )
        if found == MOST:
            return
    if len(edits) >= FEW and not found:
        asking.work.doubts.append(
            f"{len(edits)} changes of single lines were tried: with each the numbers stayed as they were, or the file failed."
        )


def _edits(asking: Asking, scene: EngineScene) -> list[tuple[Statement, SourceEdit]]:
    """Return some edits at random, those of the graph's operations and of the walk before others."""
    pairs = [(statement, edit) for statement in asking.statements for edit in statement.edits]
    walk = {scene.engine.backward, "build_topo"}

    def rank(pair: tuple[Statement, SourceEdit]) -> tuple[bool, bool]:
        statement, edit = pair
        used = any(is_of(statement, step.op) for step in scene.plan.steps)
        return not used and not walk & {*statement.function.split(".")}, edit.kind in LAST

    return sorted(asking.sample(pairs, len(pairs)), key=rank)[:TRIED]


def _unexplained(
    scene: EngineScene, statement: Statement, edit: SourceEdit, run: GraphRun, other: GraphRun
) -> list[str]:
    """Return the operations whose numbers an edit in one line of one operation does not explain.

    A line that is left out may cost its own operation a contribution. Code that looks for edits does more.
    """
    plan = scene.plan
    loses = edit.kind == "left out" and statement.fills
    if loses and run.calls and not other.calls:  # a line less makes no node more
        return sorted({step.op for step in plan.steps})
    new = _odd(plan, other, statement if loses else None) - _odd(plan, run)
    if not any(is_of(statement, step.op) for step in plan.steps):  # one operation's rule, or help for several
        return sorted(new) if statement.function.endswith(f".{run.closure}") and len(new) > 1 else []
    return sorted(op for op in new if loses or not is_of(statement, op))


def _odd(plan: GraphPlan, run: GraphRun, without: Statement | None = None) -> set[str]:
    """Return the operations that compute or hand on other numbers than right ones; `without` may lack contributions."""
    return {
        step.op
        for call in run.calls
        for step in plan.steps
        if step.name == call.node
        and step.op in SLOPES
        and _is_odd(step, call, run.data, lacks=without is not None and is_of(without, step.op))
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
        before = call.before.get(name) or 0.0
        change = (call.changes.get(name, before) or 0.0) - before
        if all(differ(change, sum(part)) for part in parts):
            return True
    return False


def _changes(scene: EngineScene, run: GraphRun, other: GraphRun) -> list[tuple[bool, str, float, float]]:
    """Return what an edit changes of the leaves' gradients, or else of the root.

    Each is True for a gradient, with the expression and the numbers without the edit and with it.
    """
    root, field = scene.plan.root, scene.engine
    places = [(True, f"{name}.{field.grad}", run.grads, other.grads, name) for name in scene.plan.leaves]
    places.append((False, f"{root}.{field.data}", run.data, other.data, root))
    found = [
        (is_final, expression, x, y)
        for is_final, place, was, now, name in places
        for (expression, x), (same, y) in zip(
            entries_of(place, was.get(name)), entries_of(place, now.get(name)), strict=False
        )
        if expression == same and differ(x, y)
    ]
    return [one for one in found if one[0]] or found
