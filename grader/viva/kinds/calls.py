"""How often a rule runs, in theirs and in a right walk."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.viva.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.viva.question import Asking


class CallsQuestion(Question, frozen=True, kw_only=True):
    """How often `_backward` of a node runs in their walk and in a right one, which calls each inner node once."""

    kind: ClassVar[str] = "calls"
    level: ClassVar[int] = 2

    way: str
    node: str
    uses: int
    closure: str = "_backward"

    @property
    def key(self) -> str:
        """The node."""
        return self.node


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for nodes that are used twice: a right walk calls them once."""
    plan, run = asking.plan, asking.run
    if plan is None or run is None or not run.calls or not run.way.endswith(")"):
        return
    called = [call.node for call in run.calls]
    for step in plan.steps:
        uses, times = plan.uses(step.name), called.count(step.name)
        if uses > 1:
            options = dict.fromkeys(
                (_both(times, 1), _both(1, 1), _both(uses, uses), _both(1, uses), _both(uses, 1))
            )
            chosen = sorted([*options][:4])
            yield CallsQuestion(
                way=run.way, node=step.name, uses=uses, closure=asking.closure,
                answer=_both(times, 1), options=tuple(chosen),
            )  # fmt: skip


def _both(theirs: int, right: int) -> str:
    return f"{theirs} and {right}"
