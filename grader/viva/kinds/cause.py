"""Wrong work: a question whose answer shows the cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.report import Outcome
from grader.viva.graphs import OPERATORS, Made, Plan
from grader.viva.question import Question, differ, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.report import Report
    from grader.viva.question import Asking


class CauseQuestion(Question, frozen=True, kw_only=True):
    """Wrong work: the gradient that their code leaves, and the slope that the forward pass has.

    `lines` are the graph, where it is another than the sheet's; `said` is what the report says of it.
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
        """What the report says."""
        return self.said

    @property
    def first(self) -> bool:
        """Wrong work is asked about what is wrong."""
        return True


NUDGE = 1e-4


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for a gradient that their code leaves beside the slope of their forward pass, if the report has the cause."""
    if asking.run is None or asking.plan is None or asking.work.manifest.arrays:
        return
    for said, operation in _said(asking.report) if asking.report else ():
        for plan in (_small(asking, operation), asking.plan):
            wrong = _wrong(asking, plan) if plan else None
            if plan is None or wrong is None:
                continue
            way, node, theirs, slope = wrong
            x, y = written(theirs), written(slope)
            options = [f"{x} and {y}", f"{y} and {y}", f"{x} and {x}", f"{y} and {x}"]
            asking.rng.shuffle(options)
            yield CauseQuestion(
                way=way, node=node, root=plan.root, said=said, field=asking.grad, closure=asking.closure, answer=f"{x} and {y}",
                lines=() if plan is asking.plan else tuple(plan.lines), options=tuple(options),
            )  # fmt: skip
            break


def _small(asking: Asking, operation: str) -> Plan | None:
    """Return the graph of this operation alone; None for one that takes a number, and for a walk."""
    assert asking.plan is not None
    numbers = dict(zip("ab", asking.plan.leaves.values(), strict=False))
    if operation in OPERATORS:
        return Plan(numbers, (Made("L", operation, "a", "b"),), asking.plan.node)
    if not operation.isidentifier() or operation == "neg":
        return None
    return Plan(
        {"a": numbers["a"] / 4}, (Made("L", operation, "a"),), asking.plan.node
    )  # tanh of 4 is nearly flat


def _wrong(asking: Asking, plan: Plan) -> tuple[str, str, float, float] | None:
    """Return the way, and a leaf with the gradient that their code leaves and the slope of the root, if they differ."""
    run = asking.work.run(plan)
    roots = asking.work.roots(plan, [{name: sign * NUDGE} for name in plan.leaves for sign in (1, -1)])
    if run is None or roots is None or not run.way:
        return None
    for i, name in enumerate(plan.leaves):
        theirs, slope = run.grads.get(name), round((roots[2 * i] - roots[2 * i + 1]) / (2 * NUDGE), 4)
        if isinstance(theirs, float) and differ(theirs, slope):
            return run.way, name, theirs, slope
    return None


def _said(report: Report) -> Iterator[tuple[str, str]]:
    """Yield what the report says of wrong rules and walks, with the operation."""
    for check in report.checks:
        if check.outcome is Outcome.FAILED:
            yield from ((rule.words, rule.operation) for rule in check.rules)
            if check.walk:
                yield check.walk.words, ""
