"""Questions about the cause of wrong work, which their answers show."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from grader.autograd.facts import FORWARD, ArrayFact, RuleFact, WalkFact
from grader.autograd.questions.graphs import OPERATORS, GraphPlan, Made, slopes_of
from grader.autograd.questions.runs import entries_of, way_words
from grader.report import Outcome
from grader.topic.questions import differ, question, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from grader.autograd.questions.runs import EngineScene, GraphRun
    from grader.report import Fact
    from grader.topic.questions import Asking, Question


TAKE_MORE = {"neg", "softmax", "log_softmax", "cross_entropy"}  # no method of one input


def ask(asking: Asking, scene: EngineScene, _: GraphRun) -> Iterator[Question]:
    """Ask for a gradient that their code leaves beside the slope of their forward pass, if the report has the cause.

    Of a wrong result it is the value that is asked for.
    """
    checks = asking.report.checks if asking.report else ()
    facts = [fact for check in checks if check.outcome is Outcome.FAILED for fact in check.facts]
    causes: list[tuple[Fact, str, Iterable[GraphPlan]]] = [
        (fact, {FORWARD: "M", "other": "e"}.get(rule.input, "d"), _small(asking, scene.plan, rule.operation))
        for rule, fact in [*RuleFact.all_in(facts), *ArrayFact.all_in(facts)]
    ]
    # Of a walk only where no rule may be what is wrong.
    causes = causes or [(fact, "", [scene.plan]) for _walk, fact in WalkFact.all_in(facts)]
    for fact, node, plans in causes:
        made = (_asked(asking, scene, plan, fact, node) for plan in plans)
        yield from itertools.islice(filter(None, made), 1)


def _asked(asking: Asking, scene: EngineScene, plan: GraphPlan, fact: Fact, node: str) -> Question | None:
    """Return the question about a graph in which a node, or any leaf, has a wrong number; else None.

    It shows the number of the sheet's graph that is asked for, or the lines of another graph.
    """
    engine, run = scene.engine, scene.run_of(plan)
    wrong = _wrong(scene, plan, run, node) if run else iter(())
    if run is None or (first := next(wrong, None)) is None:
        return None
    expression, theirs, right = first
    leaf, _, place = expression.partition(f".{engine.grad}") if node != plan.root else ("", "", "")
    x, y = sheet_number(theirs), sheet_number(right)
    told = asking.work.topic.told([fact])
    said = told.walk.words if told.walk else told.rules[0].words
    lines = [] if plan is scene.plan else plan.lines
    return question(
        "cause", f"{x} and {y}", asking.sample([f"{x} and {y}", f"{y} and {y}", f"{x} and {x}", f"{y} and {x}"], 4),
        key=said, shows=() if lines else [expression], said=said, lines=lines, node=expression, right=y, leaf=leaf,
        after=way_words(run.way, engine.grad, run.closure), root=f"{plan.root}.{engine.data}", of=f"{leaf}.{engine.data}{place}",
    )  # fmt: skip


def _small(asking: Asking, sheet: GraphPlan, operation: str) -> Iterator[GraphPlan]:
    """Yield graphs of this operation: alone, and with an input that is used again; none for one that takes a number."""
    first, second, *_ = sheet.leaves.values()
    node, arrays = sheet.node, asking.work.manifest.arrays
    if operation in OPERATORS:
        leaves = {"d": first, "e": first[::-1] if operation == "@" else second}
    elif operation.isidentifier() and operation not in TAKE_MORE:
        leaves = {"d": first if arrays else first / 4}  # tanh of 4 is nearly flat
    else:
        return
    made = Made("t", operation, *leaves)
    if arrays:
        summed = Made("M", "sum", "t")
        yield GraphPlan(leaves, (Made("M", "sum", "d"),) if operation == "sum" else (made, summed), node)
        return
    yield GraphPlan(leaves, (Made("M", operation, *leaves),), node)
    for again in leaves:
        yield GraphPlan(leaves, (made, Made("M", "+", "t", again)), node)


def _wrong(
    scene: EngineScene, plan: GraphPlan, run: GraphRun, node: str
) -> Iterator[tuple[str, float, float]]:
    """Yield the value of the root beside the right one, or the entries of a leaf's gradient, or of all, beside the slope of
    the root; those that differ.
    """
    step, engine = plan.steps[-1], scene.engine
    numbers = [plan.leaves.get(name) for name in step.inputs]
    known: list[tuple[str, Any, list[float]]] = []
    if node != plan.root:
        nudged = (
            (name, scene.roots(plan.nudges(name))) for name in plan.leaves if run.way and node in {"", name}
        )
        known = [
            (f"{name}.{engine.grad}", run.grads.get(name), slopes_of(roots))
            for name, roots in nudged
            if roots
        ]
    elif step.op in OPERATORS and all(isinstance(one, int | float) for one in numbers):
        known = [(f"{node}.{engine.data}", run.data.get(node), [float(OPERATORS[step.op](*numbers))])]
    for place, value, right in known:
        pairs = [*entries_of(place, value)]
        for (expression, theirs), number in zip(pairs, right, strict=False):
            if len(pairs) == len(right) and differ(theirs, number):  # else it is of another shape
                yield expression, theirs, number
