"""Questions about the way back: the order and the number of calls, and gradients around a call or at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from grader.autograd.questions.runs import entries_of
from grader.topic.questions import Question, differ, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from grader.autograd.questions.runs import Call, GraphRun
    from grader.topic.questions import Asking


PLACES = (3, 4, 2)


class OrderQuestion(Question, frozen=True, kw_only=True):
    """The node whose `_backward` is the third that is called; leaves are not counted."""

    kind: ClassVar[str] = "order"
    level: ClassVar[int] = 2

    calls: tuple[str, ...]
    place: int = 3
    closure: str = "_backward"  # empty where nodes keep local gradients, and hand on in a loop


def ask_order(asking: Asking) -> Iterator[Question]:
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


def ask_calls(asking: Asking) -> Iterator[Question]:
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


class GradientQuestion(Question, frozen=True, kw_only=True):
    """The gradient of `node` just `before` or after the call of `called`, or after everything if there is no call."""

    kind: ClassVar[str] = "gradient"
    level: ClassVar[int] = 2

    node: str
    called: str = ""
    before: bool = False
    steps: tuple[str, ...] = ()  # each call that changes it, with the gradient after it: "q: 4"
    end: str = ""  # the gradient after everything
    field: str = "grad"
    closure: str = "_backward"

    @property
    def key(self) -> str:
        """The node and the call; of an array's gradient every entry counts as one."""
        return f"{self.node.partition('[')[0]} {self.called}"

    @property
    def hides(self) -> tuple[str, ...]:
        """Return the gradient with its call, or the gradient at the end, which no question of another kind may show."""
        return (self.key.strip(),)


def ask_gradient(asking: Asking) -> Iterator[Question]:
    """Ask for gradients that are not yet what they will be, and for those of leaves at the end."""
    run = asking.scene.run
    if not run or not run.way:
        return
    called = [call.node for call in run.calls or ()]
    once = [call for call in run.calls or () if called.count(call.node) == 1]
    found = [one for call in once for node in call.changes for one in _around(asking, run, call, node)]
    yield from asking.sample(found, 3)
    ends = [
        GradientQuestion(node=expression, answer=sheet_number(number), field=asking.scene.grad)
        for name in asking.scene.plan.leaves
        for expression, number in entries_of(f"{name}.{asking.scene.grad}", run.grads.get(name))
    ]
    yield from asking.sample(ends, 2)


def _around(asking: Asking, run: GraphRun, call: Call, node: str) -> Iterator[Question]:
    """Yield the questions about a gradient around a call that changes it; it is neither nothing yet nor everything already."""
    end, steps = run.grads.get(node), [each for each in run.calls or () if node in each.changes]
    for before, number in ((True, call.before.get(node)), (False, call.after[node])):
        if isinstance(end, float) and isinstance(number, float) and number and differ(number, end):
            yield GradientQuestion(
                node=node, called=call.node, before=before, answer=sheet_number(number), end=sheet_number(end),
                steps=tuple(f"{each.node}: {sheet_number(each.after[node])}" for each in steps),
                field=asking.scene.grad, closure=asking.scene.closure,
            )  # fmt: skip
