"""How often a rule runs, in theirs and in a right walk."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.viva.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.viva.question import Asking


class CallsQuestion(Question, frozen=True, kw_only=True):
    """How many calls of `_backward` their walk makes, and a right one: one for each result. Leaves do not count.

    `paths` is the number of calls in a walk that goes down each path.
    """

    kind: ClassVar[str] = "calls"
    level: ClassVar[int] = 2

    way: str
    paths: int
    closure: str = "_backward"


def ask(asking: Asking) -> Iterator[Question]:
    """Ask about a graph in which a result is used twice."""
    plan, run = asking.plan, asking.run
    if plan is None or run is None or not run.calls or not run.way.endswith(")"):
        return
    results = [step.name for step in plan.steps]
    theirs, right = sum(call.node in results for call in run.calls), len(results)
    ways = {plan.root: 1}
    for step in reversed(plan.steps):
        for name in step.inputs:
            ways[name] = ways.get(name, 0) + ways[step.name]
    paths = sum(ways[name] for name in results)
    pairs = [(theirs, right), (right, right), (paths, paths), (right, paths), (paths, right)]
    options = [*dict.fromkeys(f"{one} and {other}" for one, other in pairs)][:4]
    if paths > right:
        yield CallsQuestion(
            way=run.way, paths=paths, closure=asking.closure, answer=options[0],
            options=tuple(asking.sample(options, 4)),
        )  # fmt: skip
