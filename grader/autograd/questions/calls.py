"""Questions about the number of calls in a walk."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.topic.questions import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.topic.questions import Asking


class CallsQuestion(Question, frozen=True, kw_only=True):
    """The number of calls of `_backward` in their walk, without those of leaves.

    `right` is the number in a right walk, one for each result, `paths` that in a walk that goes down each path. Where theirs
    is not the right number, both are asked for.
    """

    kind: ClassVar[str] = "calls"
    level: ClassVar[int] = 2

    way: str
    right: int
    paths: int
    closure: str = "_backward"


def ask(asking: Asking) -> Iterator[Question]:
    """Ask about a graph in which a result is used twice."""
    plan, run = asking.scene.plan, asking.scene.run
    if run is None or not run.calls or not run.way.endswith(")"):
        return
    results = [step.name for step in plan.steps]
    theirs, right = sum(call.node in results for call in run.calls), len(results)
    ways = {plan.root: 1}
    for step in reversed(plan.steps):
        for name in step.inputs:
            ways[name] = ways.get(name, 0) + ways[step.name]
    paths = sum(ways[name] for name in results)
    if paths <= right:
        return
    answer, options = f"{theirs}", list[str]()
    if theirs != right:
        pairs = [(theirs, right), (right, right), (theirs, theirs), (right, theirs)]
        answer, *_ = options = [f"{one} and {other}" for one, other in pairs]
    yield CallsQuestion(
        way=run.way, right=right, paths=paths, closure=asking.scene.closure, answer=answer,
        options=tuple(asking.sample(options, 4)),
    )  # fmt: skip
