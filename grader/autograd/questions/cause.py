"""Questions about the cause of wrong work, which their answers show."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from grader.autograd.facts import FORWARD, ArrayFact, RuleFact, WalkFact
from grader.autograd.questions.graphs import OPERATORS, GraphPlan, Made, slopes_of
from grader.autograd.questions.runs import entries_of, way_words
from grader.report import Outcome
from grader.topic.questions import differ, question, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.autograd.questions.runs import EngineScene, GraphRun
    from grader.report import Fact
    from grader.topic.questions import Asking, Question


TAKE_MORE = {"neg", "softmax", "log_softmax", "cross_entropy"}  # no method of one input


def ask(asking: Asking, scene: EngineScene, _: GraphRun) -> Iterator[Question]:
    """Ask for a gradient that their code leaves beside the slope of their forward pass, if the report has the cause.

    Of a wrong result it is the value that is asked for.
    """
    if asking.report is None:
        return
    facts = [
        fact for check in asking.report.checks if check.outcome is Outcome.FAILED for fact in check.facts
    ]
    rules = [*RuleFact.all_in(facts), *ArrayFact.all_in(facts)]
    for rule, fact in rules:
        leaf = {FORWARD: "M", "other": "e"}.get(rule.input, "d")
        made = (
            _asked(asking, scene, plan, fact, leaf) for plan in _small(asking, scene.plan, rule.operation)
        )
        yield from itertools.islice(filter(None, made), 1)
    for _walk, fact in WalkFact.all_in(facts if not rules else ()):  # else the rule may be what is wrong
        if one := _asked(asking, scene, scene.plan, fact):
            yield one


def _asked(
    asking: Asking, scene: EngineScene, plan: GraphPlan, fact: Fact, node: str = ""
) -> Question | None:
    """Return the question about a graph in which a node, or any leaf, has a wrong number; else None.

    It shows the number of the sheet's graph that is asked for, or the lines of another graph.
    """
    engine = scene.engine
    run = scene.run_of(plan)
    if run is None:
        return None
    wrong = _wrong_result(scene, plan, run) if node == plan.root else _wrong_gradient(scene, plan, run, node)
    if (first := next(wrong, None)) is None:
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


def _wrong_result(scene: EngineScene, plan: GraphPlan, run: GraphRun) -> Iterator[tuple[str, float, float]]:
    """Yield the value of the root beside the right one, if they differ."""
    step = plan.steps[-1]
    numbers = [plan.leaves.get(name) for name in step.inputs]
    if step.op in OPERATORS and all(isinstance(one, int | float) for one in numbers):
        theirs, right = run.data.get(plan.root), float(OPERATORS[step.op](*numbers))
        if isinstance(theirs, float) and differ(theirs, right):
            yield f"{plan.root}.{scene.engine.data}", theirs, right


def _wrong_gradient(
    scene: EngineScene, plan: GraphPlan, run: GraphRun, leaf: str
) -> Iterator[tuple[str, float, float]]:
    """Yield the entries of a leaf's gradient, or of all, that differ from the slope of the root, which stands beside them."""
    for name in plan.leaves if run.way else ():
        if leaf in {"", name} and (roots := scene.roots(plan.nudges(name))) is not None:
            pairs = [*entries_of(f"{name}.{scene.engine.grad}", run.grads.get(name))]
            slopes = slopes_of(roots)
            if len(pairs) == len(slopes):  # else it is a gradient of another shape
                for (expression, theirs), slope in zip(pairs, slopes, strict=True):
                    if differ(theirs, slope):
                        yield expression, theirs, slope
