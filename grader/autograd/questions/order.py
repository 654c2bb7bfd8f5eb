"""Questions about the order in which a walk calls the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.topic.questions import Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from grader.topic.questions import Asking


PLACES = (3, 4, 2)


class OrderQuestion(Question, frozen=True, kw_only=True):
    """The node whose `_backward` is the third that is called; leaves are not counted."""

    kind: ClassVar[str] = "order"
    level: ClassVar[int] = 2

    calls: tuple[str, ...]
    place: int = 3
    closure: str = "_backward"  # empty where nodes keep local gradients, and hand on in a loop


def ask(asking: Asking) -> Iterator[Question]:
    """Ask for the third call, or another one, those first that another right order has elsewhere."""
    run, plan = asking.scene.run, asking.scene.plan
    if run is None or not run.way.endswith(")"):  # by hand, the sheet gives the order
        return
    results = [step.name for step in plan.steps]
    calls = [call.node for call in run.calls or () if call.node in results]
    orders = [*_orders({name: plan.users(name) for name in results})]
    places = [place for place in PLACES if len(calls) >= max(3, place)]
    for place in sorted(places, key=lambda place: len({order[place - 1] for order in orders}) == 1):
        yield OrderQuestion(
            calls=tuple(calls),
            place=place,
            answer=calls[place - 1],
            closure=asking.scene.closure,
        )


def _orders(waits: Mapping[str, set[str]]) -> Iterator[list[str]]:
    """Yield all orders in which each node comes after those that it waits for."""
    if not waits:
        yield []
    for node in waits:
        if not waits[node] & waits.keys():
            rest = {other: users for other, users in waits.items() if other != node}
            yield from ([node, *order] for order in _orders(rest))
