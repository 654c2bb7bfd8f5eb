"""Questions about the way back: the order and the number of calls, and gradients around a call or at the end."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from grader.autograd.questions.runs import entries_of
from grader.topic.questions import differ, question, sheet_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from grader.autograd.questions.runs import Call, EngineScene, GraphRun
    from grader.topic.questions import Asking, Question


TIMES = {3: "third", 4: "fourth", 2: "second"}


def ask_order(_: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for the third call, or another one, those first that another right order has elsewhere; leaves are not counted."""
    if not run.way.endswith(")"):  # by hand, the sheet gives the order
        return
    results = [step.name for step in scene.plan.steps]
    calls = [call.node for call in run.calls or () if call.node in results]
    pairs = [(step.name, name) for step in scene.plan.steps for name in step.inputs if name in results]
    orders = [
        order
        for order in itertools.permutations(results)
        if all(order.index(user) < order.index(name) for user, name in pairs)
    ]
    places = [place for place in TIMES if len(calls) >= max(3, place)]
    for place in sorted(places, key=lambda place: len({order[place - 1] for order in orders}) == 1):
        answer, opposite = calls[place - 1], calls[-place]
        yield question(
            "order", answer, time=TIMES[place], calls=calls, closure=run.closure, opposite="" if opposite == answer else opposite
        )  # fmt: skip


def ask_calls(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for the number of calls in a graph in which a result is used twice, without those of leaves.

    A right walk makes one call for each result; one that goes down each path makes `paths`. Where theirs is not the right
    number, both are asked for.
    """
    if not run.calls or not run.way.endswith(")"):
        return
    results = [step.name for step in scene.plan.steps]
    theirs, right = sum(call.node in results for call in run.calls), len(results)
    ways = {scene.plan.root: 1}
    for step in reversed(scene.plan.steps):
        for name in step.inputs:
            ways[name] = ways.get(name, 0) + ways[step.name]
    paths = sum(ways[name] for name in results)
    if paths <= right:
        return
    answer, options = f"{theirs}", list[str]()
    if theirs != right:
        pairs = [(theirs, right), (right, right), (theirs, theirs), (right, theirs)]
        answer, *_ = options = [f"{one} and {other}" for one, other in pairs]
    yield question(
        "calls", answer, asking.sample(options, 4), way=run.way, paths=paths, both=bool(options), closure=run.closure
    )  # fmt: skip


def ask_gradient(asking: Asking, scene: EngineScene, run: GraphRun) -> Iterator[Question]:
    """Ask for gradients that are not yet what they will be, and for those of leaves at the end.

    No question of another kind may show the gradient with its call, or the gradient at the end; of an array every entry
    counts as one.
    """
    if not run.way:
        return
    called = [call.node for call in run.calls or ()]
    once = [call for call in run.calls or () if called.count(call.node) == 1]
    found = [one for call in once for node in call.changes for one in _around(scene, run, call, node)]
    yield from asking.sample(found, 3)
    ends = [
        question("gradient", number, key=place, hides=[place], node=expression)
        for name in scene.plan.leaves
        for place in [f"{name}.{scene.engine.grad}"]
        for expression, number in entries_of(place, run.grads.get(name))
    ]
    yield from asking.sample(ends, 2)


def _around(scene: EngineScene, run: GraphRun, call: Call, node: str) -> Iterator[Question]:
    """Yield the questions about a gradient around a call that changes it; it is neither nothing yet nor everything already."""
    end, key = run.grads.get(node), f"{node} {call.node}"
    after = [(each.node, sheet_number(each.after[node])) for each in run.calls or () if node in each.changes]
    for when, number in (("before", call.before.get(node)), ("after", call.after[node])):
        if isinstance(end, float) and isinstance(number, float) and number and differ(number, end):
            known = {sheet_number(number), sheet_number(end)}
            yield question(
                "gradient", number, key=key, hides=[key], node=node, called=call.node, when=when, end=sheet_number(end),
                steps=[f"{name}: {one}" for name, one in after], early=next((one for _, one in after if one not in known), ""),
                field=scene.engine.grad, closure=run.closure,
            )  # fmt: skip
