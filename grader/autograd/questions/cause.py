"""Questions about the cause of wrong work, which their answers show."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, ClassVar

from grader.autograd.facts import FORWARD, ArrayFact, RuleFact, WalkFact
from grader.autograd.questions.graphs import NUDGE, OPERATORS, GraphPlan, Made, places_in
from grader.autograd.questions.runs import entries_of
from grader.report import Outcome
from grader.topic.questions import Question, differ, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import Fact
    from grader.topic.questions import Asking


class CauseQuestion(Question, frozen=True, kw_only=True):
    """The number that wrong code leaves in `node`, and the right one.

    It is a gradient beside the slope of `root` in the forward pass, or a value beside the right one. `lines` are the graph,
    if it is not the sheet's; `said` is the report's sentence about the cause.
    """

    kind: ClassVar[str] = "cause"
    level: ClassVar[int] = 3

    way: str
    node: str
    root: str
    said: str
    lines: tuple[str, ...] = ()
    field: str = "grad"
    closure: str = "_backward"

    @property
    def key(self) -> str:
        """The sentence of the report."""
        return self.said

    @property
    def shows(self) -> tuple[str, ...]:
        """The number of the sheet's graph that is asked for."""
        return () if self.lines else (self.node,)

    @property
    def first(self) -> bool:
        """Wrong work is asked about what is wrong."""
        return True


TAKE_MORE = {"neg", "softmax", "log_softmax", "cross_entropy"}  # no method of one input


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for a gradient that their code leaves beside the slope of their forward pass, if the report has the cause.

    Of a wrong result it is the value that is asked for.
    """
    if asking.scene.run is None or asking.report is None:
        return
    failed = [check for check in asking.report.checks if check.outcome is Outcome.FAILED]
    facts = [fact for check in failed for fact in check.facts]
    rules = [*RuleFact.all_in(facts), *ArrayFact.all_in(facts)]
    for rule, fact in rules:
        leaf = {FORWARD: "M", "other": "e"}.get(rule.input, "d")
        made = (_question(asking, plan, fact, leaf) for plan in _small(asking, rule.operation))
        yield from itertools.islice(filter(None, made), 1)
    for _, fact in WalkFact.all_in(facts if not rules else ()):  # else the rule may be what is wrong
        if one := _question(asking, asking.scene.plan, fact):
            yield one


def _question(asking: Asking, plan: GraphPlan, fact: Fact, node: str = "") -> Question | None:
    """Return the question about a graph in which a node, or any leaf, has a wrong number; else None."""
    found = _wrong_result(asking, plan) if node == plan.root else _wrong_gradient(asking, plan, node)
    if found is None:
        return None
    way, expression, theirs, right = found
    x, y = sheet_number(theirs), sheet_number(right)
    words = asking.work.topic.told([fact])
    return CauseQuestion(
        way=way, node=expression, root=f"{plan.root}.{asking.scene.data}", said=words.walk.words if words.walk else words.rules[0].words,
        field=asking.scene.grad, closure=asking.scene.closure, answer=f"{x} and {y}", lines=() if plan is asking.scene.plan else tuple(plan.lines),
        options=tuple(asking.sample([f"{x} and {y}", f"{y} and {y}", f"{x} and {x}", f"{y} and {x}"], 4)),
    )  # fmt: skip


def _small(asking: Asking, operation: str) -> Iterator[GraphPlan]:
    """Yield graphs of this operation: alone, and with an input that is used again; none for one that takes a number."""
    first, second, *_ = asking.scene.plan.leaves.values()
    node, arrays = asking.scene.plan.node, asking.work.manifest.arrays
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


def _wrong_result(asking: Asking, plan: GraphPlan) -> tuple[str, str, float, float] | None:
    """Return the way, and the value of the root beside the right one, if they differ."""
    step, run = plan.steps[-1], asking.scene.runs.run(plan)
    numbers = [plan.leaves.get(name) for name in step.inputs]
    if run is None or step.op not in OPERATORS or not all(isinstance(one, int | float) for one in numbers):
        return None
    theirs, right = run.data.get(plan.root), float(OPERATORS[step.op](*numbers))
    if not isinstance(theirs, float) or not differ(theirs, right):
        return None
    return run.way, f"{plan.root}.{asking.scene.data}", theirs, right


def _wrong_gradient(asking: Asking, plan: GraphPlan, leaf: str) -> tuple[str, str, float, float] | None:
    """Return the way, and an entry of a leaf's gradient beside the slope of the root, if they differ."""
    run = asking.scene.runs.run(plan)
    if run is None or not run.way:
        return None
    for name, value in plan.leaves.items():
        if leaf not in {"", name}:
            continue
        places = [*places_in(value)]
        nudged = [plan.nudged(name, place, sign * NUDGE) for place in places for sign in (1, -1)]
        roots = asking.scene.runs.roots(nudged)
        pairs = [*entries_of(f"{name}.{asking.scene.grad}", run.grads.get(name))]
        if roots is None or len(pairs) != len(places):  # a gradient of another shape
            continue
        for (expression, theirs), up, down in zip(pairs, roots[::2], roots[1::2], strict=True):
            slope = round((up - down) / (2 * NUDGE), 6)
            if differ(theirs, slope):
                return run.way, expression, theirs, slope
    return None
