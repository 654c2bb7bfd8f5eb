"""The order in which the student's walk calls the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.viva.question import Question

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.viva.question import Asking


class OrderQuestion(Question, frozen=True, kw_only=True):
    """The node whose `_backward` is the third that is called; leaves are not counted."""

    kind: ClassVar[str] = "order"
    level: ClassVar[int] = 2

    way: str
    calls: tuple[str, ...]
    place: int = 3
    closure: str = "_backward"  # empty where nodes keep local gradients, and hand on in a loop


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for the third call, or for the second or fourth; not where the sheet gives the order."""
    calls = [call.node for call in asking.run.calls or ()] if asking.run and asking.plan else []
    if not asking.run or not asking.run.way.endswith(")") or asking.plan is None:
        return
    inner = {step.name for step in asking.plan.steps}
    calls = [node for node in calls if node in inner]
    for place in (3, 4, 2):
        if len(calls) >= max(3, place):
            yield OrderQuestion(
                way=asking.run.way,
                calls=tuple(calls),
                place=place,
                answer=calls[place - 1],
                closure=asking.closure,
            )
